/** The files that the console is built from. This module needs no package; the build does. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths below a checkout that a build of the console reads; none where the checkout has no console. */
export function consoleSources(root) {
  const folder = join(root, 'console');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted();
}
