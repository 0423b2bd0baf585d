/**
 * Pages neither repeat nor lose a model: walks over lists of several lengths, by the links and by the counts of both
 * clients.
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
  readonly has_more: boolean;
  readonly last_id: string | null;
}

const entriesOf = (count: number): ModelEntry[] =>
  Array.from({ length: count }, (_, index) => ({ head: `{"id":${index}`, model: { id: String(index) } }) as ModelEntry);
type Parameters = Readonly<Record<string, string>>;
function pageOf(count: number, parameters: Parameters): Page {
  const query = readQuery(parameters, ListModelsDto);
  const text = printModelPage(entriesOf(count), query, '/models', ({ model }) => model.id === '0');
  const { data, ...rest } = JSON.parse(text) as Omit<Page, 'data'> & { data: { id: number; callable: boolean }[] };
  expect(data.map(({ callable }) => callable)).toEqual(data.map(({ id }) => id === 0));
  return { data: data.map(({ id }) => id), ...rest };
}
/** As clients of the Messages format read it. */
const ends = (data: readonly number[], hasMore: boolean) => ({
  has_more: hasMore,
  first_id: data.length > 0 ? String(data[0]) : null,
  last_id: data.length > 0 ? String(data.at(-1)) : null,
});
const all = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('printModelPage', () => {
  it.each([0, 1, 499, 500, 501, 2000])('returns all %d at once when neither is given', (count) => {
    expect(pageOf(count, {})).toEqual({
      data: all(count),
      total_count: count,
      links: { next: null },
      ...ends(all(count), false),
    });
  });

  it.each([
    [7, 3],
    [9, 3],
    [3, 1000],
  ])('is walked by the last id: %d models, %d a page', (count, limit) => {
    const seen: number[] = [];
    let page = pageOf(count, { limit: String(limit) });
    seen.push(...page.data);
    while (page.has_more) {
      page = pageOf(count, { limit: String(limit), after_id: page.last_id! });
      seen.push(...page.data);
    }
    expect(seen).toEqual(all(count));
    expect(pageOf(count, { after_id: String(count - 1) }).data).toEqual([]);
    expect(() => pageOf(count, { after_id: 'x' })).toThrow('after_id: must be the id of a model of this list');
  });

  it.each([
    [7, 3],
    [9, 3],
    [1, 1],
    [3, 1000],
  ])('is walked backwards by the first id: %d models, %d a page', (count, limit) => {
    const last = String(count - 1);
    let page = pageOf(count, { limit: String(limit), before_id: last });
    const seen = [...page.data];
    const linked = [...page.data];
    let { next } = page.links;
    while (page.has_more) {
      page = pageOf(count, { limit: String(limit), before_id: String(page.data[0]) });
      seen.unshift(...page.data);
    }
    while (next !== null) {
      const { data, links } = pageOf(count, Object.fromEntries(new URL(next, 'http://host').searchParams));
      linked.unshift(...data);
      next = links.next;
    }
    expect([seen, linked]).toEqual([all(count - 1), all(count - 1)]);
    expect(pageOf(count, { before_id: '0' })).toMatchObject({ data: [], ...ends([], false) });
  });

  it('refuses a position before a model that is not there, and two positions at once', () => {
    expect(() => pageOf(3, { before_id: 'x' })).toThrow('before_id: must be the id of a model of this list');
    for (const other of [{ after_id: '0' }, { offset: '1' }])
      expect(() => pageOf(3, { before_id: '2', ...other })).toThrow('before_id: cannot be combined');
  });

  it('continues from the last id by its link as well', () => {
    const { links, data } = pageOf(9, { limit: '3', after_id: '1' });
    expect([data, links.next]).toEqual([[2, 3, 4], '/models?limit=3&offset=5']);
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
    expect(pageOf(count, query)).toEqual({ data, total_count: count, links: { next }, ...ends(data, next !== null) });
  });

  it('repeats the query in the link to the next page', () => {
    const given = {
      limit: '1', supported_parameters: 'tools, top_p', context: '8000', max_price: '0.25', distillable: 'false', zdr: 'true',
    }; // oxfmt-ignore
    const { links } = pageOf(2, given);
    expect(Object.fromEntries(new URL(links.next!, 'http://host').searchParams)).toEqual({
      ...given,
      supported_parameters: 'tools,top_p',
      offset: '1',
    });
  });
});
