/**
 * Goal: pages neither repeat nor lose a model. Method: walks over lists of several lengths, by the links and by
 * the counts of both clients.
 */
import 'reflect-metadata';
import { readQuery } from '../shared/http/dto.pipe.js';
import { ListModelsDto } from './list-models.dto.js';
import type { ModelEntry } from './model-entry.js';
import { printModelPage } from './model-page.js';

interface Page {
  readonly data: readonly number[];
  readonly total_count: number;
  readonly links: { readonly next: string | null };
}

const entriesOf = (count: number): ModelEntry[] =>
  Array.from({ length: count }, (_, index) => ({ json: String(index) }) as ModelEntry);
type Parameters = Readonly<Record<string, string>>;
const pageOf = (count: number, parameters: Parameters): Page =>
  JSON.parse(printModelPage(entriesOf(count), readQuery(parameters, ListModelsDto), '/models')) as Page;
const all = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('printModelPage', () => {
  it.each([0, 1, 499, 500, 501, 2000])('gives all %d at once when neither is said', (count) => {
    expect(pageOf(count, {})).toEqual({ data: all(count), total_count: count, links: { next: null } });
  });

  it.each([
    [0, 1],
    [1, 1],
    [7, 3],
    [9, 3],
    [10, 3],
    [3, 1000],
  ])('is walked by its links: %d models, %d a page', (count, limit) => {
    const seen: number[] = [];
    let query: Parameters | undefined = { limit: String(limit), q: 'a b&c' };
    while (query) {
      const { data, total_count, links } = pageOf(count, query);
      expect(total_count).toBe(count);
      seen.push(...data);
      query = links.next === null ? undefined : Object.fromEntries(new URL(links.next, 'http://host').searchParams);
      if (query) expect(query).toMatchObject({ q: 'a b&c', limit: String(limit) });
    }
    expect(seen).toEqual(all(count));
  });

  it.each([
    ['an offset alone takes 500', { offset: '0' }, 501, all(500), '/models?offset=500&limit=500'],
    ['the last page has no next', { offset: '500' }, 501, [500], null],
    ['past the end there is nothing', { offset: '501' }, 501, [], null],
    ['far past the end there is nothing', { offset: '999999999', limit: '1000' }, 2, [], null],
    ['a limit alone begins at the start', { limit: '1' }, 2, [0], '/models?limit=1&offset=1'],
  ])('%s', (_, query, count, data, next) => {
    expect(pageOf(count, query)).toEqual({ data, total_count: count, links: { next } });
  });

  it('asks the same question in the link to the next page', () => {
    const asked = {
      limit: '1', supported_parameters: 'tools, top_p', context: '8000', max_price: '0.25', distillable: 'false', zdr: 'true',
    }; // oxfmt-ignore
    const { links } = pageOf(2, asked);
    expect(Object.fromEntries(new URL(links.next!, 'http://host').searchParams)).toEqual({
      ...asked,
      supported_parameters: 'tools,top_p',
      offset: '1',
    });
  });
});
