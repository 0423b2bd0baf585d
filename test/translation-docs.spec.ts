// Goal: the page on translation says what the dialects' tables say. Method: it is printed anew and compared.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTables } from '../scripts/print-translation.js';

it('docs/translation.md holds the tables as they are: otherwise run `npm run docs:translation`', () => {
  const page = readFileSync(join(__dirname, '../docs/translation.md'), 'utf8');
  expect(page).toBe(withTables(page));
});

it('says where a page has no place for them', () => {
  expect(() => withTables('# A page')).toThrow('has no lines');
});
