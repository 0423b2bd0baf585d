/** The files that the guide of the gateway is rendered from. This module needs no package; the rendering does. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const GUIDE_FOLDER = join('docs', 'use');

/** Paths below a checkout: the map of documents, then every page. None where the checkout has no documents. */
export function guideSources(root) {
  const folder = join(root, GUIDE_FOLDER);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'));
  return [join('docs', 'README.md'), ...names.toSorted().map((name) => join(GUIDE_FOLDER, name))];
}
