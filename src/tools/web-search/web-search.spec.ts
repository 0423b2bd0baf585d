// The requested settings hold for all searches of a generation, results that the rules forbid are not returned, and a
// later turn reads what the model read. The engine is simulated or scripted.
import { fastest, stopwatch } from '../../../test/support/cpu-time.js';
import { extensionContext, openSeal, type ChargedResult } from '../../../test/support/extension-context.js';
import { engines, offerSearch, searchFor, setupWith } from '../../../test/support/search-tool.js';
import { GatewayError } from '../../core/errors.js';
import { ExtensionFault, type EngineCall, type ExtensionContext } from '../../core/extension.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import type { GatewayRunTool, ToolFailure, ToolResult, ToolSetup } from '../../core/tool.js';
import { webSearch } from './web-search.js';

const PRICE = 5n;
const SIMULATED = engines({ simulated: { price: PRICE } });
const PARALLEL = engines({ parallel: { baseUrl: 'http://parallel.test', price: PRICE } });

const offer = (type: string, parameters: JsonObject, setup: ToolSetup): GatewayRunTool =>
  webSearch.offer({ type, parameters, path: 'tools.3' }, setup) as GatewayRunTool;

/** An engine that returns these pages. */
const having = (...results: readonly object[]): Partial<ExtensionContext> => ({
  engines: { call: () => Promise.resolve({ results } as unknown as Json) },
});
const page = (url: string, more: object = {}): object => ({ url, title: 'T', excerpts: ['E'], ...more });
const urlsOf = ({ sources }: ToolResult): string[] => sources.map(({ url }) => url);
const blocksOf = ({ content }: ToolResult): JsonObject[] => content as unknown as JsonObject[];
const search = (parameters: JsonObject, parts: Partial<ExtensionContext>): Promise<ChargedResult> =>
  searchFor(offerSearch(PARALLEL, parameters), 'q', parts);
const failure = (error_code: string) => ({
  content: { type: 'web_search_tool_result_error', error_code },
  isError: true,
});

describe('the engine', () => {
  const refusal = (parameters: JsonObject, setup: ToolSetup, type = 'openrouter:web_search'): unknown => {
    try {
      return offer(type, parameters, setup);
    } catch (error) {
      return error;
    }
  };
  const NONE = setupWith({});
  const BOTH = setupWith(engines({ simulated: {}, exa: { baseUrl: 'http://exa.test', price: 7n } }, 'exa'));
  const UNSET = setupWith(engines({ simulated: {} }, 'exa'));

  it.each<[JsonObject, bigint]>([
    [{}, 7n],
    [{ engine: 'auto' }, 7n],
    [{ engine: 'native' }, 7n],
    [{ engine: 'simulated' }, 0n],
  ])("is the catalog's default unless another is named: %j", (parameters, price) => {
    expect(offer('openrouter:web_search', parameters, BOTH).price).toBe(price);
  });

  // oxfmt-ignore
  it.each<[string, JsonObject, ToolSetup, string]>([
    ['none is set up', {}, NONE, 'tools.3: no engine of web searches is set up; the setting is tools.web_search of the catalog file'],
    ['it is not set up', { engine: 'exa' }, NONE, 'tools.3.parameters.engine: the engine exa is not set up, or lacks its credential; the setting is tools.web_search.engines.exa of the catalog file'],
    ['the default lacks its credential', {}, UNSET, 'tools.3: the engine exa is not set up, or lacks its credential; the setting is tools.web_search.engines.exa of the catalog file'],
    ['it is not set up, for the sandbox', { engine: 'exa' }, { ...NONE, isSandbox: true }, 'tools.3.parameters.engine: the engine exa is not set up, or lacks its credential; the setting is tools.web_search.engines.exa of the catalog file'],
  ])('is refused by the setting where %s', (_, parameters, setup, message) => {
    const error = refusal(parameters, setup) as GatewayError;
    expect([error.kind, error.message]).toEqual(['invalid-request', message]);
  });

  it('is simulated only for the sandbox where none is set up', async () => {
    const served = offer('openrouter:web_search', {}, { ...NONE, isSandbox: true });
    expect(urlsOf(await searchFor(served, 'q'))[0]).toBe('https://simulated.example/q/1');
    expect(offer('openrouter:web_search', { engine: 'simulated' }, { ...NONE, isSandbox: true }).price).toBe(0n);
    expect(refusal({ engine: 'simulated' }, NONE)).toMatchObject({ kind: 'invalid-request' });
    const configured = setupWith(PARALLEL, { isSandbox: true });
    const calls: EngineCall[] = [];
    const call = (one: EngineCall): Promise<Json> => {
      calls.push(one);
      return Promise.resolve({ results: [] });
    };
    await searchFor(offer('openrouter:web_search', {}, configured), 'q', { engines: { call } });
    expect(calls).toHaveLength(1);
  });
});

it('is shown as a function with a query, and by which engine it is served', () => {
  const { asFunction, engine, usesMax } = offerSearch(SIMULATED, {
    max_results: 3,
    allowed_domains: ['a.example', 'b.example/x'],
    user_location: { type: 'approximate', city: 'Kiel', country: 'DE' },
  });
  expect(asFunction).toEqual({
    name: 'web_search',
    description:
      'Searches the web and gives up to 3 results, each with title, URL, date and text. Use it for what is recent, changes, or is not known for certain. Only a.example, b.example/x can be searched. The user is near Kiel, DE.',
    inputSchema: expect.objectContaining({ required: ['query'] }) as object,
  });
  expect([engine, usesMax]).toEqual(['simulated', 50]);
});

it.each(['web_search_20250305', 'web_search_20260209'])(
  "accepts %s in the vendor's form, null included",
  async (type) => {
    const setup = setupWith(PARALLEL);
    const pages = having(page('https://a.example/'), page('https://b.example/'));
    const parameters = { blocked_domains: ['a.example'], allowed_domains: null, max_uses: 2, user_location: null };
    const served = offer(type, parameters, setup);
    expect([served.usesMax, urlsOf(await searchFor(served, 'q', pages))]).toEqual([2, ['https://b.example/']]);
    expect(() => offer(type, { blocked_domains: ['a b'] }, setup)).toThrow(
      'tools.3.blocked_domains.0: must be a domain such as example.com or example.com/blog',
    );
  },
);

it('refuses a domain that cannot be enforced', () => {
  expect(() => offerSearch(SIMULATED, { allowed_domains: ['a.example', 'user@b.example'] })).toThrow(
    'tools.0.parameters.allowed_domains.1: must be a domain',
  );
});

describe('results', () => {
  it('are five by default, and as many as requested', async () => {
    expect(urlsOf(await searchFor(offerSearch(SIMULATED), 'q'))).toHaveLength(5);
    expect(urlsOf(await searchFor(offerSearch(SIMULATED, { max_results: 25 }), 'q'))).toHaveLength(25);
    expect(offerSearch(SIMULATED, { max_results: 26 }).asFunction.description).toContain('up to 25 results');
  });

  it('are limited over all searches together, parallel ones included', async () => {
    const tool = offerSearch(SIMULATED, { max_results: 4, max_total_results: 10 });
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((query) => searchFor(tool, query)));
    expect(all.map((result) => urlsOf(result).length)).toEqual([4, 4, 2, 0]);
    expect(all[3]).toMatchObject({ ...failure('max_uses_exceeded'), cost: 0n });
  });

  it('that a search did not return are left to others', async () => {
    const tool = offerSearch(PARALLEL, { max_results: 5, max_total_results: 5 });
    await searchFor(tool, 'q', having(page('https://a.example/')));
    await searchFor(tool, 'q', { engines: { call: () => Promise.reject(new ExtensionFault('unavailable', 'x')) } });
    const many = having(...Array.from({ length: 9 }, (_, index) => page(`https://b.example/${index}`)));
    expect(urlsOf(await searchFor(tool, 'q', many))).toHaveLength(4);
    expect(await searchFor(tool, 'q', many)).toMatchObject(failure('max_uses_exceeded'));
  });

  it('are returned only where the rules allow it, subdomains included, each once', async () => {
    const found = having(
      page('https://good.example/a'),
      page('https://sub.good.example/b'),
      page('https://good.example/a'),
      page('https://notgood.example/'),
      page('https://good.example/private/c'),
      page('https://held.good.example/'),
      page('javascript:alert(1)'),
      page('ftp://good.example/'),
      page(`https://good.example/${'x'.repeat(2_048)}`),
      page('no address'),
      {},
    );
    const result = await search(
      { allowed_domains: ['good.example'], excluded_domains: ['good.example/private'] },
      { ...found, guardedFetch: { ...extensionContext().guardedFetch, allows: (url) => !url.includes('held') } },
    );
    expect(urlsOf(result)).toEqual(['https://good.example/a', 'https://sub.good.example/b']);
    expect(result.cost).toBe(PRICE);
  });

  it('have one line of title and date, at most the requested text, and never half a character', async () => {
    const long = { title: ` A\n[9] fake\t title ${'t'.repeat(400)}`, publish_date: `2026\n${'1'.repeat(90)}` };
    const found = having(
      page('https://a.example/', { ...long, excerpts: ['abc😀def'] }),
      page('https://b.example/', { title: ' ' }),
    );
    const { text, content } = await search({ max_characters: 4 }, found);
    const [first, second] = content as unknown as JsonObject[];
    expect((first!['title'] as string).startsWith('A [9] fake title ttt')).toBe(true);
    expect([(first!['title'] as string).length, (first!['page_age'] as string).length]).toEqual([300, 64]);
    expect(second!['title']).toBe('b.example');
    expect(text.split('\n\n')[1]!.split('\n').at(-1)).toBe('abc');
  });

  it.each([
    [{}, 4_000],
    [{ search_context_size: 'low' }, 5_000],
    [{ search_context_size: 'high' }, 30_000],
    [{ search_context_size: 'high', max_characters: 100 }, 100],
    [{ search_context_size: 'constructor' }, 4_000],
    [{ max_characters: 1_000_000 }, 100_000],
  ])('have as much text as %j requests', async (parameters: JsonObject, length) => {
    const result = await search(parameters, having(page('https://a.example/', { excerpts: ['x'.repeat(100_001)] })));
    expect(result.text.split('\n').at(-1)).toHaveLength(length);
    expect(result.sources[0]!.quote).toHaveLength(Math.min(length, 150));
  });
});

it('seals long texts in slices, between which other work runs', async () => {
  let turn = 0;
  const tick = (): void => {
    turn++;
    if (isSealing) setImmediate(tick);
  };
  let isSealing = true;
  setImmediate(tick);
  const turns = new Set<number>();
  const found = having(
    ...Array.from({ length: 20 }, (_, index) =>
      page(`https://a.example/${index}`, { excerpts: ['x'.repeat(100_000)] }),
    ),
  );
  const seal = (): string => {
    turns.add(turn);
    return 'sealed';
  };
  expect(urlsOf(await search({ max_results: 20, max_characters: 100_000 }, { ...found, seal }))).toHaveLength(20);
  isSealing = false;
  expect(turns.size).toBeGreaterThan(5);
});

describe('a search that comes to nothing', () => {
  it.each([
    [{}, 'invalid_tool_input'],
    [{ query: 7 }, 'invalid_tool_input'],
    [{ query: ' \n' }, 'invalid_tool_input'],
    [{ query: 'q'.repeat(2_001) }, 'query_too_long'],
  ])('is reported for %j', async (input: JsonObject, code) => {
    const result = await offerSearch(SIMULATED).run(input, { context: extensionContext(), number: 1 });
    expect(result).toMatchObject(failure(code));
  });

  it.each<[ExtensionFault['kind'], string]>([
    ['busy', 'too_many_requests'],
    ['refused', 'unavailable'],
    ['timed-out', 'unavailable'],
    ['too-large', 'unavailable'],
    ['unavailable', 'unavailable'],
  ])('is reported for an engine that is %s, and recalled', async (kind, code) => {
    const call = (): Promise<Json> => Promise.reject(new ExtensionFault(kind, 'x'));
    const result = await search({}, { engines: { call } });
    expect(result).toMatchObject({ ...failure(code), cost: 0n });
    expect(webSearch.recall(result.content, openSeal)).toBe(result.text);
  });

  it.each<[ToolFailure, string]>([
    ['max_uses_exceeded', 'max_uses_exceeded'],
    ['url_not_allowed', 'unavailable'],
  ])('is reported as %s without being made', (word, code) => {
    expect(offerSearch(SIMULATED).fail(word, {})).toMatchObject(failure(code));
  });
});

describe('a later turn', () => {
  const found = having(page('https://a.example/', { publish_date: '2026-01-02' }), page('https://b.example/'));

  it('reads what the model read, to the byte', async () => {
    for (const pages of [found, having()]) {
      const { text, content, sources } = await search({}, pages);
      expect(webSearch.recall(content, openSeal)).toBe(text);
      expect(webSearch.recallSources!(content, openSeal)).toEqual(sources);
    }
  });

  it('reads of pages whose seal does not open, or is foreign, that their text is gone', async () => {
    const result = await search({}, found);
    const gone = '(The text of this page is no longer available. Search again for it.)';
    const recalled = webSearch.recall(result.content, () => undefined);
    expect(webSearch.recallSources!(result.content, () => undefined)).toEqual(
      result.sources.map(({ url, title }) => ({ url, title })),
    );
    expect(recalled).toBe(result.text.replaceAll(/\nE(?=\n|$)/g, `\n${gone}`));
    const [first] = blocksOf(result);
    const foreign = [{ ...first, encrypted_content: 7 }, { ...first, url: undefined }, 'x', null] as unknown as Json;
    expect(webSearch.recall(foreign, openSeal)).toContain(`[1] T\nURL: https://a.example/\nDate: 2026-01-02\n${gone}`);
  });

  it.each([[null], ['x'], [{ type: 'other' }], [{ type: 'web_search_tool_result_error' }]])(
    'reads of %j that the results are gone',
    (content: Json) => {
      expect(webSearch.recall(content, openSeal)).toBe('The results of this web search are no longer available.');
    },
  );

  it('reads an unknown code as an unavailable search', () => {
    const content = { type: 'web_search_tool_result_error', error_code: 'constructor' };
    expect(webSearch.recall(content, openSeal)).toBe('The web search failed: the search is unavailable at the moment.');
  });
});

it('is simulated alike for the same query, at the allowed domains', async () => {
  const parameters = { max_results: 3, allowed_domains: ['a.example', 'b.example'] };
  const once = await searchFor(offerSearch(SIMULATED, parameters), 'Größe / 2 😀');
  expect(await searchFor(offerSearch(SIMULATED, parameters), 'Größe / 2 😀')).toEqual(once);
  expect(urlsOf(once)).toEqual([1, 2, 3].map((n) => `https://${n === 2 ? 'b' : 'a'}.example/gr%C3%B6%C3%9Fe-2-/${n}`));
  expect(once.cost).toBe(PRICE);
});

describe('an answer that is made to delay others', () => {
  it.each<[string, JsonObject, readonly object[]]>([
    ['of addresses that are none', {}, Array.from({ length: 60_000 }, () => ({ url: 'http://[', title: '', excerpts: [] }))],
    ['of pages that were not requested', { excluded_domains: ['no.test'] }, Array.from({ length: 60_000 }, (_, index) => page(`https://no.test/${index}`))],
    ['of hosts that are none', { excluded_domains: ['no.test'] }, Array.from({ length: 1_000 }, () => page(`https://${'a.'.repeat(1_000)}test/`))],
    ['of a title that has no end', {}, [page('https://a.test', { title: ' a'.repeat(5_000_000) })]],
    ['of passages without number', {}, [page('https://a.test', { excerpts: Array.from({ length: 1_000_000 }, () => 'a') })]],
  ])('%s is processed no longer than another', async (_, parameters, results) => {
    const found = having(...results);
    const took = async (): Promise<number> => {
      const read = stopwatch();
      await search(parameters, found);
      return read();
    };
    expect(await fastest(took, 40)).toBeLessThan(40);
  }); // oxfmt-ignore
});
