/**
 * The end of a build: copies files other than TypeScript next to the built code, which reads them from there (the
 * compiler omits them), builds the pages of the console, and records which sources were built.
 */
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buildConsole } from './build-console.mjs';
import { writeGuide } from './render-guide.mjs';
import { BUILT_FROM, isCopied, ROOT, sourcesState } from './build-state.mjs';

const [SOURCE, TARGET] = [join(ROOT, 'src'), join(ROOT, 'dist')];

for (const entry of readdirSync(SOURCE, { withFileTypes: true, recursive: true })) {
  if (!entry.isFile() || !isCopied(entry.name)) continue;
  const file = join(entry.parentPath, entry.name);
  const copy = join(TARGET, relative(SOURCE, file));
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(file, copy);
}
writeGuide(ROOT, join(TARGET, 'description', 'guide'));
await buildConsole(ROOT, TARGET);
writeFileSync(BUILT_FROM, sourcesState());
