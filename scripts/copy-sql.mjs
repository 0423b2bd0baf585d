/** Copies what is SQL beside the built code, which reads it from there: the compiler leaves it out. */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const [SOURCE, TARGET] = [join(ROOT, 'src'), join(ROOT, 'dist')];

for (const entry of readdirSync(SOURCE, { withFileTypes: true, recursive: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.sql')) continue;
  const file = join(entry.parentPath, entry.name);
  const copy = join(TARGET, relative(SOURCE, file));
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(file, copy);
}
