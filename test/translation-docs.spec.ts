// Checks that the pages on translation agree with the dialects' tables: they are printed again and compared.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIALECTS_WITH_PAGES, withSharedTables, withTablesOf } from '../scripts/print-translation.js';

const read = (page: string): string => readFileSync(join(__dirname, '..', 'docs', 'use', `${page}.md`), 'utf8');

it('docs/use/translation.md holds the shared rules as they are: otherwise run `npm run docs:translation`', () => {
  const page = read('translation');
  expect(page).toBe(withSharedTables(page));
});

it.each(DIALECTS_WITH_PAGES)('docs/use/translation/%s.md holds its rules as they are', (dialect) => {
  const page = read(`translation/${dialect}`);
  expect(page).toBe(withTablesOf(dialect, page));
});

it('reports a page without markers for them', () => {
  expect(() => withSharedTables('# A page')).toThrow('has no lines');
});
