/**
 * Inserts the tables of the dialects into docs/use/translation.md and the pages below docs/use/translation, between
 * their two markers: `npm run docs:translation`. Run it when a row of a table has changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DIALECTS_WITH_PAGES, withSharedTables, withTablesOf } from './print-translation.js';

function rewrite(page: string, print: (text: string) => string): void {
  const path = fileURLToPath(new URL(`../docs/use/${page}.md`, import.meta.url));
  writeFileSync(path, print(readFileSync(path, 'utf8')));
}

rewrite('translation', withSharedTables);
for (const dialect of DIALECTS_WITH_PAGES) rewrite(`translation/${dialect}`, (text) => withTablesOf(dialect, text));
