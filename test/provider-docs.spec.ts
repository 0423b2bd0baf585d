// Checks that the pages of providers agree with the catalog and the definitions: they are printed again and compared.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROVIDERS_WITH_PAGES, withOthers, withProvider } from '../scripts/print-providers.js';

const FOLDER = join(__dirname, '..', 'docs', 'operate');
const read = (page: string): string => readFileSync(join(FOLDER, `${page}.md`), 'utf8');

it('docs/operate/providers.md lists the other providers as they are: otherwise run `npm run docs:providers`', () => {
  const page = read('providers');
  expect(page).toBe(withOthers(page));
});

it.each(PROVIDERS_WITH_PAGES)('docs/operate/providers/%s.md holds its entry as it is', (slug) => {
  const page = read(`providers/${slug}`);
  expect(page).toBe(withProvider(slug, page));
});

it('has a page for each of them, and no other, which the list names', () => {
  const files = readdirSync(join(FOLDER, 'providers')).map((file) => file.replace(/\.md$/, ''));
  expect(files.toSorted()).toEqual([...PROVIDERS_WITH_PAGES]);
  const list = read('providers');
  expect(files.filter((slug) => !list.includes(`(providers/${slug}.md)`))).toEqual([]);
});

it('reports a page without markers for them, and an unknown provider', () => {
  expect(() => withOthers('# A page')).toThrow('has no lines');
  expect(() => withProvider('no-such', '# A page')).toThrow('no provider no-such');
});
