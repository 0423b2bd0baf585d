/**
 * The end of a build: copies what is no TypeScript beside the built code, which reads it from there (the compiler
 * leaves it out), and writes down which sources were built.
 */
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { BUILT_FROM, isCopied, ROOT, sourcesState } from './sources-state.mjs';

const [SOURCE, TARGET] = [join(ROOT, 'src'), join(ROOT, 'dist')];

for (const entry of readdirSync(SOURCE, { withFileTypes: true, recursive: true })) {
  if (!entry.isFile() || !isCopied(entry.name)) continue;
  const file = join(entry.parentPath, entry.name);
  const copy = join(TARGET, relative(SOURCE, file));
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(file, copy);
}
writeFileSync(BUILT_FROM, sourcesState());
