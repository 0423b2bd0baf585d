/**
 * Any failure of a search or page engine becomes a result for the model and the caller, never an HTTP error. Failed
 * calls cost nothing, and no message of an engine is passed on. The engines are stand-ins for the published APIs with
 * faults of HTTP, transport and content; the loop continues after each.
 */
import { describeOnEmbedded } from '../support/database.js';
import { KEY } from '../support/engines/engine-double.js';
import { exaPages } from '../support/engines/exa-pages.js';
import { firecrawlPages } from '../support/engines/firecrawl-pages.js';
import { ENGINE_KEY, pageScript } from '../support/engines/page-engine.js';
import { parallelPages } from '../support/engines/parallel-pages.js';
import { SEARCH_DOUBLES } from '../support/engines/search-engines.js';
import type { JsonBody } from '../support/recorded-request.js';
import { cutAfter, endless, garbage, json, resets, type Answer, type Script } from '../support/upstream-answers.js';
import { Upstream } from '../support/upstreams.js';
import { CALL, calls, LoopBench, microUsd, ROUTES, answers } from './faults-bench.js';

const SEARCH_ENGINES = Object.keys(SEARCH_DOUBLES) as (keyof typeof SEARCH_DOUBLES)[];
const PAGE = 'https://one.example/a';
const PAGES = { [PAGE]: { title: 'One', text: 'A page.' } };
const PAGE_APIS = { exa: exaPages, parallel: parallelPages, firecrawl: firecrawlPages };
const PAGE_ENGINES = Object.keys(PAGE_APIS) as (keyof typeof PAGE_APIS)[];
const SECRET = 'what-the-engine-says';
const MIB = Buffer.alloc(1024 * 1024, ' ');
const PRICE = 4_000;

/** A behaviour of an engine, and the error code of its use. */
const FAULTS: Readonly<Record<string, readonly [answer: Answer, code: string]>> = {
  'refuses the key': [json({ error: SECRET }, 401), 'unavailable'],
  'wants to be paid': [json({ error: SECRET }, 402), 'unavailable'],
  'forbids it': [json({ error: SECRET }, 403), 'unavailable'],
  'has too much to do': [json({ error: SECRET }, 429, { 'retry-after': '1' }), 'too_many_requests'],
  'does not know the request': [json({ error: SECRET }, 400), 'unavailable'],
  'fails': [json({ error: SECRET }, 500), 'unavailable'],
  'is out of order': [json({ error: SECRET }, 503), 'unavailable'],
  'had no time': [json({ error: SECRET }, 504), 'unavailable'],
  'breaks off its body': [cutAfter(json({ results: [SECRET], data: [SECRET] }), 14), 'unavailable'],
  'resets the connection': [resets(), 'unavailable'],
  'speaks no HTTP': [garbage(), 'unavailable'],
  'answers no JSON': [{ headers: { 'content-type': 'text/html' }, body: [`<p>${SECRET}`] }, 'unavailable'],
  'answers a list': [json([SECRET]), 'unavailable'],
  'answers with 100 MB': [{ headers: { 'content-length': String(100 * MIB.length) }, body: [MIB] }, 'unavailable'],
  'never ends': [endless(MIB), 'unavailable'],
  'compresses': [{ ...json({ results: [] }), headers: { 'content-encoding': 'gzip' } }, 'unavailable'],
  'sends elsewhere': [{ status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: [] }, 'unavailable'],
}; // oxfmt-ignore

describeOnEmbedded('an engine', (database) => {
  const engines: Record<string, Upstream> = {};
  let bench: LoopBench;
  beforeAll(async () => {
    for (const name of SEARCH_ENGINES) {
      const { rules, answer } = SEARCH_DOUBLES[name];
      engines[`search ${name}`] = await new Upstream(rules, () => answer([])).listen();
    }
    for (const name of PAGE_ENGINES) {
      engines[`pages ${name}`] = await new Upstream(() => undefined, pageScript(PAGE_APIS[name], PAGES)).listen();
    }
    const settings = (names: readonly string[], kind: string, value: string) =>
      Object.fromEntries(
        names.map((name) => [
          name,
          { base_url: engines[`${kind} ${name}`]!.url, credential: { value }, price: '0.004' },
        ]),
      );
    bench = await LoopBench.start(database, {
      tools: {
        web_search: { default: 'searxng', engines: settings(SEARCH_ENGINES, 'search', KEY) },
        web_fetch: { price: '0.002', engines: settings(PAGE_ENGINES, 'pages', ENGINE_KEY) },
      },
    });
  }, 240_000);
  afterAll(async () => {
    await bench?.close();
    await Promise.all(Object.values(engines).map((engine) => engine.close()));
  });

  /** SearXNG cannot be requested by name: it is the operator's default. */
  const searching = (name: string) => ({
    type: 'openrouter:web_search',
    parameters: { ...(name !== 'searxng' && { engine: name }), max_results: 2 },
  });
  const fetching = (name: string) => ({ type: 'openrouter:web_fetch', parameters: { engine: name } });
  const USE_OF = {
    search: { name: 'web_search', input: { query: 'boats' } },
    pages: { name: 'web_fetch', input: { url: PAGE } },
  };

  const KINDS = [
    ...SEARCH_ENGINES.map((name) => ['search', name] as const),
    ...PAGE_ENGINES.map((name) => ['pages', name] as const),
  ];

  /** Makes the loop use the engine once, and then answer. */
  async function use(kind: 'search' | 'pages', name: string, route: (typeof ROUTES)[number], stream: boolean) {
    const { key } = await bench.gateway.newKey();
    bench.begin(calls(USE_OF[kind]), answers('I see.'));
    const tools = [kind === 'search' ? searching(name) : fetching(name)];
    const reply = await bench.ask(route, { tools, stream }, key);
    return { reply, row: await bench.row(reply.id), read: bench.upstreams.main.requests[1]?.json.messages.at(-1) };
  }

  describe.each(KINDS)('%s by %s', (kind, name) => {
    const engine = () => engines[`${kind} ${name}`]!;
    const works: Script =
      kind === 'search'
        ? () => SEARCH_DOUBLES[name].answer([{ url: PAGE, title: 'One', text: 'Found.' }])
        : pageScript(PAGE_APIS[name as keyof typeof PAGE_APIS], PAGES);

    it.each([false, true])('returns what it found, and is paid, stream %s', async (stream) => {
      engine().script(works);
      const { reply, row, read } = await use(kind, name, '/messages', stream);
      expect(JSON.stringify(read)).toMatch(kind === 'search' ? /Found\./ : /A page\./);
      expect(row).toMatchObject({ cost: 2 * CALL + PRICE, tools_cost: PRICE });
      expect(microUsd(reply.usage.cost_details.server_tool_cost)).toBe(PRICE);
    });

    it.each(Object.entries(FAULTS))(
      '%s: it is reported, costs nothing, and the loop continues',
      async (_, [answer, code]) => {
        engine().script(answer);
        const { reply, row, read } = await use(kind, name, '/messages', false);
        expect(reply).toMatchObject({ status: 200, stop_reason: 'end_turn' });
        const [call, result, text] = reply.content;
        expect([call.type, text.text]).toEqual(['server_tool_use', 'I see.']);
        expect(result.content).toMatchObject({ error_code: code });
        expect(read.content).toMatchObject([{ type: 'tool_result', is_error: true }]);
        expect(row).toMatchObject({ outcome: 'completed', cost: 2 * CALL, tools_cost: 0 });
        expect(reply.text).not.toContain(SECRET);
        expect(JSON.stringify(read)).not.toContain(SECRET);
        expect(reply.text).not.toContain(String(engine().port));
      },
    );

    it.each(ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream }))))(
      'fails on $route, stream $stream, without an HTTP error',
      async ({ route, stream }) => {
        engine().script(json({ error: SECRET }, 500));
        const { reply, row } = await use(kind, name, route, stream);
        expect(reply.status).toBe(200);
        expect(reply.stop_reason ?? reply.finish_reason).toBe(route === '/messages' ? 'end_turn' : 'stop');
        expect(row).toMatchObject({ cost: 2 * CALL, tools_cost: 0 });
        expect(bench.gateway.log.filter(({ level }) => level === 'error')).toEqual([]);
      },
    );
  });

  it.each(SEARCH_ENGINES)('%s refuses a wrong key, and unknown requests', (name) => {
    const { rules } = SEARCH_DOUBLES[name];
    const path = { exa: '/search', parallel: '/v1beta/search', firecrawl: '/v2/search', perplexity: '/search', searxng: '/search?q=a&format=json' }[name];
    const request = (headers: object, body: JsonBody, query = '') =>
      rules({ method: name === 'searxng' ? 'GET' : 'POST', path: path + query, headers, json: body } as never);
    const right = { 'x-api-key': KEY, authorization: `Bearer ${KEY}`, 'parallel-beta': 'search-extract-2025-10-10' };
    const body = name === 'parallel' ? { objective: 'a' } : { query: 'a' };
    expect(request(right, body)).toBeUndefined();
    expect(request({ ...right, 'x-api-key': 'x', authorization: 'x' }, body)).toMatchObject({ status: 401 });
    expect(request({}, body)).toMatchObject({ status: 401 });
    expect(request(right, { ...body, made_up: 1 }, name === 'searxng' ? '&made_up=1' : '')).toMatchObject({
      status: { exa: 400, parallel: 422, firecrawl: 400, perplexity: 400, searxng: 403 }[name],
    });
  }); // oxfmt-ignore
});
