/**
 * Each search engine is called by its published API, and its answer is returned in the Messages format; any other
 * behaviour becomes an uncharged result, and an abort leaves the engine at once. The real client with a strict double
 * of each engine on loopback.
 */
import { Cancellation } from '../../src/core/cancellation.js';
import { CallerGone } from '../../src/core/errors.js';
import type { JsonObject } from '../../src/core/json/json.js';
import type { ToolEngine } from '../../src/core/routing/catalog.js';
import { Secret } from '../../src/core/secret.js';
import { EngineClients } from '../../src/tools/engine-client.js';
import { BlackHole } from '../support/black-hole.js';
import { KEY, type EnginePage } from '../support/engines/engine-double.js';
import { SEARCH_DOUBLES } from '../support/engines/search-engines.js';
import { engines, offerSearch, searchFor } from '../support/search-tool.js';
import {
  cutAfter,
  endless,
  garbage,
  HANG,
  json,
  neverAnswers,
  resets,
  type Answer,
} from '../support/upstream-answers.js';
import { Upstream } from '../support/upstreams.js';

const PRICE = 7_000_000_000n;
const EXTRA = 1_000_000_000n;
const PAGES: readonly EnginePage[] = [
  { url: 'https://one.example/a', title: 'One', date: '2026-03-01', text: 'First passage.\n\nSecond passage.' },
  { url: 'https://two.example/b', title: 'Two', text: 'Another.' },
];
const pagesOf = (count: number): EnginePage[] =>
  Array.from({ length: count }, (_, index) => ({ url: `https://p.example/${index}`, title: `P${index}`, text: 'x' }));

const clients = new EngineClients();

interface Bench {
  readonly upstream: Upstream;
  readonly settings: ToolEngine;
  readonly offer: (parameters?: JsonObject) => ReturnType<typeof offerSearch>;
  readonly search: (query?: string, parameters?: JsonObject, signal?: Cancellation) => ReturnType<typeof searchFor>;
}

const open: Upstream[] = [];
afterEach(() => Promise.all(open.splice(0).map((upstream) => upstream.close())));

type Name = keyof typeof SEARCH_DOUBLES;
const NAMES = Object.keys(SEARCH_DOUBLES) as Name[];

async function bench(name: Name, answer?: Answer, changes: Partial<ToolEngine> = {}): Promise<Bench> {
  const { rules, answer: answerWith } = SEARCH_DOUBLES[name];
  const upstream = await new Upstream(rules, () => answer ?? answerWith(PAGES)).listen();
  open.push(upstream);
  const settings = { baseUrl: upstream.url, credential: new Secret(KEY), price: PRICE, ...changes };
  const offer: Bench['offer'] = (parameters = {}) => offerSearch(engines({ [name]: settings }), parameters);
  return {
    upstream,
    settings,
    offer,
    search: (query = 'fair leads', parameters = {}, signal = new Cancellation()) =>
      searchFor(offer(parameters), query, { engines: clients.open('key'), signal }),
  };
}

const failedWith = (error_code: string) => ({
  content: { type: 'web_search_tool_result_error', error_code },
  isError: true,
  cost: 0n,
  sources: [],
});

// oxfmt-ignore
const REQUESTS: Readonly<Record<Name, object>> = {
  exa: {
    query: 'fair leads', numResults: 7, contents: { highlights: { maxCharacters: 1500 } }, userLocation: 'DE',
    includeDomains: ['one.example', 'two.example'], excludeDomains: ['three.example'],
  },
  parallel: {
    objective: 'fair leads', search_queries: ['fair leads'], max_results: 7, excerpts: { max_chars_per_result: 1500 },
    source_policy: { include_domains: ['one.example', 'two.example'] }, location: 'DE',
  },
  firecrawl: {
    query: 'fair leads', limit: 7, timeout: 30_000, includeDomains: ['one.example', 'two.example'],
    location: 'Kiel,Holstein,DE', country: 'DE',
  },
  perplexity: {
    query: 'fair leads', max_results: 7, max_tokens: 2625, max_tokens_per_page: 375,
    search_domain_filter: ['one.example', 'two.example'], country: 'DE',
  },
  searxng: { q: 'fair leads site:one.example OR site:two.example -site:three.example', format: 'json' },
};
const OPTIONS = {
  max_results: 7,
  max_characters: 1500,
  allowed_domains: ['one.example', 'https://two.example/b*'],
  excluded_domains: ['three.example', 'one.example/private'],
  user_location: { type: 'approximate', city: 'Kiel', region: 'Holstein', country: 'de', timezone: null },
};

describe.each(NAMES)('%s', (name) => {
  it('is sent all of the requested parameters in its own form', async () => {
    const { upstream, search } = await bench(name);
    expect((await search('fair leads', OPTIONS)).isError).toBe(false);
    const [request] = upstream.requests;
    const query = Object.fromEntries(new URL(request!.path, 'http://x').searchParams);
    expect(request!.method === 'GET' ? query : request!.json).toEqual(REQUESTS[name]);
  });

  it('is sent the blocked domains where no list of allowed ones is given', async () => {
    const { search } = await bench(name);
    const { isError, sources } = await search('fair leads', { excluded_domains: ['one.example'] });
    expect([isError, sources.map(({ url }) => url)]).toEqual([false, ['https://two.example/b']]);
  });

  it('has its answer returned, charged and recalled', async () => {
    const { search } = await bench(name);
    const { text, content, sources, cost } = await search();
    // Firecrawl returns no dates.
    const date = name === 'firecrawl' ? null : '2026-03-01';
    expect(content).toEqual([
      {
        type: 'web_search_result',
        url: PAGES[0]!.url,
        title: 'One',
        encrypted_content: expect.any(String) as string,
        page_age: date,
      },
      {
        type: 'web_search_result',
        url: PAGES[1]!.url,
        title: 'Two',
        encrypted_content: expect.any(String) as string,
        page_age: null,
      },
    ]);
    expect(text).toContain(
      `[1] One\nURL: https://one.example/a\n${date === null ? '' : `Date: ${date}\n`}First passage.\n\nSecond passage.\n\n[2] Two\nURL: https://two.example/b\nAnother.`,
    );
    expect(sources.map(({ url, title }) => [url, title])).toEqual(PAGES.map(({ url, title }) => [url, title]));
    expect(cost).toBe(PRICE);
  });

  it('accepts its longest query and no longer one', async () => {
    const most = { exa: 2_000, parallel: 5_000, firecrawl: 500, perplexity: 2_000, searxng: 500 }[name];
    const { upstream, search, offer } = await bench(name, SEARCH_DOUBLES[name].answer(pagesOf(30)));
    const parameters = { max_results: 25, max_characters: 100_000 };
    const { sources, cost } = await search('ä'.repeat(most), parameters);
    const results = { exa: 25, parallel: 20, firecrawl: 25, perplexity: 20, searxng: 25 }[name];
    expect([sources.length, cost]).toEqual([results, offer(parameters).price]);
    expect(await search('ä'.repeat(most + 1))).toMatchObject(failedWith('query_too_long'));
    expect(upstream.requests).toHaveLength(1);
  });

  it('may find nothing, which is charged: it was called', async () => {
    const { search } = await bench(name, SEARCH_DOUBLES[name].answer([]));
    expect(await search()).toMatchObject({ content: [], isError: false, cost: PRICE });
  });

  it('refuses a missing or wrong key, and is not charged', async () => {
    const { search, upstream } = await bench(name, undefined, { credential: new Secret('another') });
    expect(await search()).toMatchObject(failedWith('unavailable'));
    expect(upstream.requests).toHaveLength(1);
  });

  it.each([
    ['that it is called too often', json({ error: 'slow down' }, 429), 'too_many_requests'],
    ['with an error of its own', json({ error: 'oops' }, 500), 'unavailable'],
    ['that its account is empty', json({ error: 'pay' }, 402), 'unavailable'],
    ['in other words', json({ results: 'none', data: null }), 'unavailable'],
    ['with a list', json([]), 'unavailable'],
    [
      'with half of its JSON',
      { headers: { 'content-type': 'application/json' }, body: ['{"results":[{'] },
      'unavailable',
    ],
  ])('answers %s', async (_, answer: Answer, code) => {
    const { search } = await bench(name, answer);
    expect(await search()).toMatchObject(failedWith(code));
  });
});

describe('an engine that misbehaves', () => {
  const whole = SEARCH_DOUBLES.exa.answer(PAGES);
  const MIB = Buffer.alloc(1024 * 1024, ' ');
  const hundred = (headers: Answer['headers']): Answer => ({ headers: headers!, body: Array<Buffer>(100).fill(MIB) });

  it.each<[string, Answer]>([
    ['breaks off', cutAfter(whole, 40)],
    ['resets', resets()],
    ['speaks no HTTP', garbage()],
    ['announces 100 MB', hundred({ 'content-length': String(100 * MIB.length) })],
    ['sends 100 MB without a word', hundred({})],
    ['never ends', endless(MIB)],
    ['compresses', { ...whole, headers: { 'content-encoding': 'gzip' } }],
  ])('%s: the search is unavailable', async (_, answer) => {
    const { upstream, search } = await bench('exa', answer);
    expect(await search()).toMatchObject(failedWith('unavailable'));
    const [request] = upstream.requests;
    await request!.closed;
    // What had been taken from the socket by then, and what the system's buffers hold of it.
    expect(request!.bodyBytesWritten).toBeLessThan(20 * MIB.length);
  });

  it('redirects: it is not followed', async () => {
    const elsewhere = await bench('exa');
    const { search } = await bench('exa', { status: 307, headers: { location: elsewhere.upstream.url }, body: [] });
    expect(await search()).toMatchObject(failedWith('unavailable'));
    expect(elsewhere.upstream.requests).toEqual([]);
  });

  it('is not reachable at all', async () => {
    const { upstream, search } = await bench('exa');
    await upstream.close();
    open.length = 0;
    expect(await search()).toMatchObject(failedWith('unavailable'));
  });
});

describe('an abort', () => {
  it.each<[string, Answer]>([
    ['before a word of it', neverAnswers()],
    ['in mid-answer', { headers: { 'content-type': 'application/json' }, body: ['{"results":[', HANG] }],
  ])('leaves the engine at once, %s', async (_, answer) => {
    const { upstream, search } = await bench('exa', answer);
    const abort = new Cancellation();
    const searching = search('fair leads', {}, abort);
    const request = await upstream.request(0);
    abort.abort(new CallerGone());
    await expect(searching).rejects.toThrow(CallerGone);
    await request.closed;
    expect(request.aborted).toBe(true);
  });

  it('ends a search that has not begun', async () => {
    const { upstream, search } = await bench('exa');
    const abort = new Cancellation();
    abort.abort(new CallerGone());
    await expect(search('fair leads', {}, abort)).rejects.toThrow(CallerGone);
    expect(upstream.connectionsAccepted).toBe(0);
  });

  it('ends one that is still connecting, and its socket', async () => {
    const hole = await BlackHole.open('127.0.0.1');
    const connecting = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'ConnectWrap').length;
    // By then the connections that fill the backlog are in it, or wait for ever.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = connecting();
    const abort = new Cancellation();
    const settings = { baseUrl: `http://127.0.0.1:${hole.port}` };
    const context = { engines: clients.open('key'), signal: abort };
    const searching = searchFor(offerSearch(engines({ exa: settings })), 'fair leads', context);
    while (connecting() === before) await new Promise((resolve) => setImmediate(resolve));
    const abortedAt = performance.now();
    abort.abort(new CallerGone());
    await expect(searching).rejects.toThrow(CallerGone);
    while (connecting() > before) await new Promise((resolve) => setImmediate(resolve));
    // Otherwise it would run until the connection times out.
    expect(performance.now() - abortedAt).toBeLessThan(2_000);
    await hole.close();
  });
});

it('charges what Exa charges for results beyond ten', async () => {
  const { search, offer } = await bench('exa', SEARCH_DOUBLES.exa.answer(pagesOf(13)));
  const parameters = { max_results: 25 };
  expect((await search('fair leads', parameters)).cost).toBe(PRICE + 3n * EXTRA);
  expect([offer(parameters).price, offer({ max_results: 10 }).price]).toEqual([PRICE + 15n * EXTRA, PRICE]);
});

it('returns the whole page of Exa where more is requested than its passages may have', async () => {
  const { upstream, search } = await bench('exa');
  await search('fair leads', { search_context_size: 'medium' });
  expect(upstream.requests[0]!.json.contents).toEqual({ text: { maxCharacters: 15_000 } });
});
