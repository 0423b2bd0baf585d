/**
 * The plugin `web` searches once before the model is called, with the requested engine and domains, or leaves the
 * search to the vendor. The model reads the results, which are cited, counted and charged exactly; a search that fails,
 * is abandoned or exceeds a limit costs nothing. Strict doubles of a model and of an engine, whole and streamed, on
 * every face. Rules: docs/use/plugins/web.md.
 */
import { describeOnEmbedded } from '../support/database.js';
import type { EnginePage } from '../support/engines/engine-double.js';
import { SEARCH_DOUBLES } from '../support/engines/search-engines.js';
import type { JsonBody } from '../support/recorded-request.js';
import { HANG, json, neverAnswers, type Answer, type Script } from '../support/upstream-answers.js';
import {
  CALL,
  calls,
  formFor,
  inTurn,
  leftWithin,
  LoopBench,
  microUsd,
  PRICES,
  readReply,
  ROUTES,
  answers,
  TOOLS,
  USES,
  type Route,
} from '../tools/faults-bench.js';

const PAGE = 'https://one.example/a';
const ANSWER = answers(`As [One](${PAGE}) has it.`);
const QUESTION = 'What now?';
const FACES = ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream })));
const NATIVE = { prompt: '3', completion: '15', web_search: '0.01' };
const SECRET = 'PRJ-4711';

const plugin = (options: object = {}): object => ({ tools: undefined, plugins: [{ id: 'web', ...options }] });

describeOnEmbedded('the plugin web', (database) => {
  let bench: LoopBench;
  let key: string;
  beforeAll(async () => {
    const searching = { id: 'test/searching', endpoint: { pricing: NATIVE } };
    const plain = { id: 'test/plain', endpoint: { supported_parameters: ['max_tokens'] } };
    bench = await LoopBench.start(database, { models: [searching, plain] });
    ({ key } = await bench.gateway.newKey());
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.begin(ANSWER));

  async function ask(route: Route, fields: object, init: object = {}): Promise<JsonBody> {
    const response = await bench.gateway.request(route, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify(formFor(route, bench.body(fields))),
      ...init,
    });
    const text = await response.text();
    const shown = { status: response.status, id: response.headers.get('x-generation-id'), text };
    return { ...shown, ...(response.status === 200 ? readReply(route, text) : JSON.parse(text)) };
  }

  const finds = (...pages: readonly EnginePage[]): void =>
    bench.upstreams.engine.script(SEARCH_DOUBLES.exa.answer(pages));
  const searched = (): JsonBody[] => bench.upstreams.engine.requests.map(({ json: body }) => body);
  /** The last turn that the model was sent, as one text. */
  const read = (double: 'main' | 'adviser' = 'main'): string =>
    [bench.upstreams[double].requests[0]!.json.messages.at(-1).content]
      .flat()
      .map((block: JsonBody) => block.text ?? block)
      .join('\n');

  /** The account's charges, once nothing is held. */
  async function paid(): Promise<number> {
    await bench.ledger.rest();
    const { used, held } = await bench.ledger.account();
    expect([held, await bench.ledger.openHolds()]).toEqual([0, 0]);
    return used;
  }

  /** The hold for such a request, in USD. */
  async function boundOf(fields: object): Promise<number> {
    const response = await bench.gateway.request('/routing/explain', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bench.body(fields)),
    });
    return Number(((await response.json()) as JsonBody).data.candidates[0].bound);
  }

  const stagesIn = (text: string): JsonBody[] =>
    [...text.matchAll(/\{"type":"plugin","name":"web".*?\}(?:,"cost_usd":[^}]*)?\}/g)].map(([stage]) =>
      JSON.parse(stage),
    );

  describe.each(FACES)('on $route, stream $stream', ({ route, stream }) => {
    const searches = ({ usage }: JsonBody): number =>
      (route === '/messages' ? usage.server_tool_use : usage.server_tool_use_details).web_search_requests;
    const addresses = (reply: JsonBody): string[] =>
      route === '/messages'
        ? reply.content.flatMap((block: JsonBody) => (block.citations ?? []).map(({ url }: JsonBody) => url))
        : (reply.message.annotations ?? []).map(({ url_citation }: JsonBody) => url_citation.url);

    it('has the model read one search, which is cited, counted and charged', async () => {
      const reply = await ask(route, { stream, ...plugin() });
      expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
      expect(searched()).toMatchObject([{ query: QUESTION, numResults: 5 }]);
      expect(read()).toMatch(
        /^What now\?\nThe web was searched .*\n\nResults of a web search.*URL: https:\/\/one\.example\/a\nFound\.$/s,
      );
      expect(addresses(reply)).toEqual([PAGE]);
      expect(searches(reply)).toBe(1);
      // No model called a tool.
      const { tool_calls_requested: called = 0 } = reply.usage.server_tool_use_details ?? {};
      expect(called).toBe(0);
      expect(microUsd(reply.usage.cost)).toBe(CALL + PRICES.search);
      expect(microUsd(reply.usage.cost_details.server_tool_cost)).toBe(PRICES.search);
      const [stage] = stagesIn(reply.text);
      expect(stage).toMatchObject({
        summary: 'searched',
        data: { engine: 'exa', results: 1, milliseconds: expect.any(Number) as number },
        cost_usd: 0.004,
      });
      expect(await bench.row(reply.id)).toMatchObject({
        outcome: 'completed',
        cost: CALL + PRICES.search,
        tools_cost: PRICES.search,
      });
      const response = await bench.gateway.request(`/generation?id=${reply.id}`, { key });
      expect((await response.json()) as JsonBody).toMatchObject({
        data: { num_search_results: 1, web_search_engine: 'exa' },
      });
    });

    it('is enabled by the suffix', async () => {
      const reply = await ask(route, { stream, tools: undefined, model: 'test/main:online' });
      expect([reply.status, searched().length]).toEqual([200, 1]);
      expect(addresses(reply)).toEqual([PAGE]);
    });

    it('continues where nothing is found, and is charged', async () => {
      finds();
      const reply = await ask(route, { stream, ...plugin() });
      expect([reply.status, read()]).toEqual([200, QUESTION]);
      expect(stagesIn(reply.text)[0]).toMatchObject({ summary: 'searched', data: { results: 0 } });
      expect(await bench.row(reply.id)).toMatchObject({ cost: CALL + PRICES.search });
    });

    it.each([
      ['refuses', json({ error: 'no' }, 401)],
      ['has too much to do', json({ error: 'later' }, 429)],
      ['breaks', json({ error: 'oops' }, 500)],
      ['answers in another form', json({ results: 'none' })],
    ])('fails where the engine %s, uncharged', async (_, answer) => {
      bench.upstreams.engine.script(() => answer);
      const before = await paid();
      const reply = await ask(route, { stream, ...plugin() });
      expect(reply.status).toBe(503);
      expect(reply.error.message).toBe('The plugin web failed: the search by exa came to nothing.');
      expect(bench.upstreams.main.requests).toHaveLength(0);
      expect(await paid()).toBe(before);
    });

    it.each<[string, Script | Answer]>([
      ['is silent', neverAnswers()],
      ['is in mid-answer', { headers: { 'content-type': 'application/json' }, body: ['{"results":[', HANG] }],
    ])('is left with its caller while the engine %s', async (_, answer) => {
      bench.upstreams.engine.script(inTurn(answer));
      const before = await paid();
      const client = await bench.open(route, { stream, ...plugin() }, key);
      const openCall = await bench.upstreams.engine.request(0);
      client.destroy();
      expect(await leftWithin(openCall, Date.now())).toBeLessThan(1_000);
      expect(bench.upstreams.main.requests).toHaveLength(0);
      expect(await paid()).toBe(before);
    });

    it('calls nothing where it exceeds a limit', async () => {
      const bound = await boundOf(plugin());
      const { key: poor } = await bench.gateway.newKey({ limit: Number((bound + 0.001).toFixed(6)) });
      const before = await paid();
      const reply = await ask(route, { stream, ...plugin() }, { key: poor });
      expect([reply.status, searched(), bench.upstreams.main.requests.length]).toEqual([402, [], 0]);
      expect(await paid()).toBe(before);
    });

    it('is charged even where the model fails afterwards', async () => {
      const before = await paid();
      bench.upstreams.main.script(() => json({ type: 'error', error: { type: 'api_error', message: 'no' } }, 500));
      const reply = await ask(route, { stream, ...plugin() });
      expect(reply.status).toBeGreaterThanOrEqual(500);
      expect([microUsd((await paid()) - before), searched().length]).toEqual([PRICES.search, 1]);
    });

    it('is left to the vendor that searches itself', async () => {
      bench.upstreams.adviser.script(ANSWER);
      const options = { max_uses: 2, include_domains: ['one.example'] };
      const reply = await ask(route, { stream, model: 'test/searching', ...plugin(options) });
      expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
      expect(searched()).toEqual([]);
      expect(bench.upstreams.adviser.requests[0]!.json.tools).toEqual([
        { type: 'web_search_20250305', name: 'web_search', max_uses: 2, allowed_domains: ['one.example'] },
      ]);
      expect(read('adviser')).toBe(QUESTION);
      expect(stagesIn(reply.text)[0]).toMatchObject({ summary: 'left to the vendor' });
    });

    it('holds nothing for a call of the loop that has ended', async () => {
      bench.begin(calls(USES.datetime), calls(USES.datetime), ANSWER);
      const fields = { stream, ...plugin(), tools: [TOOLS.datetime] };
      const room = (await boundOf(fields)) + 0.004 + 0.004;
      const { key: poor } = await bench.gateway.newKey({ limit: Number(room.toFixed(6)) });
      const reply = await ask(route, fields, { key: poor });
      expect([reply.status, bench.upstreams.main.requests.length]).toEqual([200, 3]);
      expect(await bench.row(reply.id)).toMatchObject({ cost: 3 * CALL + PRICES.search });
    });

    it('runs beside the tools', async () => {
      bench.begin(calls(USES.search), ANSWER);
      const reply = await ask(route, { stream, ...plugin(), tools: [TOOLS.search] });
      expect(searched().map(({ query }) => query)).toEqual([QUESTION, 'boats']);
      expect(searches(reply)).toBe(2);
      expect(await bench.row(reply.id)).toMatchObject({ cost: 2 * CALL + 2 * PRICES.search });
      expect(addresses(reply)).toEqual([PAGE]);
    });
  });

  it('sends the engine its options, and applies the domain rules itself', async () => {
    const pages = [
      'https://one.example/a',
      'https://one.example/private/b',
      'https://two.example/blog/c',
      'https://two.example/d',
      'https://sub.three.example/',
      'https://three.example/',
    ];
    finds(...pages.map((url) => ({ url, title: url, text: 'x' })));
    const options = {
      max_results: 7,
      search_prompt: 'Mind these:',
      include_domains: ['one.example', 'two.example/blog*', '*.three.example'],
      exclude_domains: ['one.example/private'],
      user_location: { type: 'approximate', city: 'Kiel', country: 'DE' },
    };
    expect(await ask('/messages', plugin(options))).toMatchObject({ status: 200 });
    expect(searched()).toMatchObject([
      { numResults: 7, includeDomains: ['one.example', 'two.example', 'three.example'], userLocation: 'DE' },
    ]);
    expect(read()).toMatch(/^What now\?\nMind these:\n\nResults/);
    const urls = [...read().matchAll(/^URL: (.*)$/gm)].map(([, url]) => url);
    expect(urls).toEqual([pages[0], pages[2], pages[4]]);
  });

  it('searches for the last text of the last user turn, as much as the engine takes', async () => {
    const messages = [
      { role: 'user', content: 'Before.' },
      { role: 'assistant', content: 'Yes.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'A long letter.' },
          { type: 'text', text: ` ${'ä'.repeat(3_000)}` },
        ],
      },
    ];
    expect(await ask('/messages', { ...plugin(), messages })).toMatchObject({ status: 200 });
    expect(searched().map(({ query }) => query)).toEqual(['ä'.repeat(2_000)]);
  });

  it('is held for together with the prompt that it adds', async () => {
    finds({ url: PAGE, title: 'One', text: 'word '.repeat(700) });
    bench.upstreams.main.script(neverAnswers());
    const client = await bench.open('/messages', plugin(), key);
    const { messages } = (await bench.upstreams.main.request(0)).json;
    const [hold] = (await bench.ledger.query('select bound from holds where cost is null')) as JsonBody[];
    client.destroy();
    await bench.row();
    expect(Number(hold.bound)).toBeGreaterThanOrEqual((await boundOf({ tools: undefined, messages })) + 0.004 - 1e-9);
  });

  it('does not search where a user turn has no text', async () => {
    const content = [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'A page.' } }];
    const reply = await ask('/messages', { ...plugin(), messages: [{ role: 'user', content }] });
    expect([reply.status, searched()]).toEqual([200, []]);
    expect(stagesIn(reply.text)[0]).toMatchObject({ summary: 'nothing searched for' });
  });

  it.each(['none', 'any'])('searches itself where the model may not choose: tool_choice %s', async (type) => {
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const fields = { model: 'test/searching', tools, tool_choice: { type } };
    const reply = await ask('/messages', { ...plugin(), ...fields });
    expect([reply.status, searched().length]).toEqual([200, 1]);
    expect(bench.upstreams.adviser.requests[0]!.json.tools).toHaveLength(1);
  });

  it.each([
    ['off', plugin({ enabled: false })],
    ['used up', plugin({ max_uses: 0 })],
    ['at the suffix, where the body turns it off', { model: 'test/main:online', ...plugin({ enabled: false }) }],
  ])('calls no engine where it is %s', async (_, fields) => {
    expect(await ask('/messages', fields)).toMatchObject({ status: 200 });
    expect([searched(), read()]).toEqual([[], QUESTION]);
    expect(bench.upstreams.main.requests[0]!.json.tools).toBeUndefined();
  });

  it('uses an engine of the gateway where the vendor lacks an option, or is one of several', async () => {
    const one = await ask('/messages', { model: 'test/searching', ...plugin({ max_results: 2 }) });
    expect([one.status, searched().length]).toEqual([200, 1]);
    expect(bench.upstreams.adviser.requests[0]!.json.tools).toBeUndefined();
    bench.begin(ANSWER);
    const several = await ask('/messages', { model: 'test/searching', models: ['test/main'], ...plugin() });
    expect([several.status, searched().length]).toEqual([200, 1]);
    bench.begin(ANSWER);
    const chosen = await ask('/messages', { model: 'test/searching', ...plugin({ engine: 'exa' }) });
    expect([chosen.status, searched().length]).toEqual([200, 1]);
  });

  it.each([
    [
      'native',
      { model: 'test/searching', ...plugin({ engine: 'native', max_results: 2 }) },
      'plugins.0.max_results: no vendor whose search could be used accepts it',
    ],
    [
      'native',
      {
        model: 'test/searching',
        ...plugin({ engine: 'native', include_domains: ['a.example'], exclude_domains: ['b.example'] }),
      },
      'plugins.0.exclude_domains: no vendor whose search could be used accepts it',
    ],
    [
      'an engine that is not set up',
      plugin({ engine: 'parallel' }),
      'plugins.0.engine: the engine parallel is not set up',
    ],
    ['no domain', plugin({ include_domains: ['one.example', 'a b'] }), 'plugins.0.include_domains.1: must be a domain'],
    [
      'more domains than a search is held to',
      plugin({ engine: 'exa', include_domains: Array.from({ length: 201 }, (_, at) => `a${at}.example`) }),
      'plugins.0.include_domains: must be a list of at most 200 domains',
    ],
    ['no domain', plugin({ exclude_domains: ['*.*'] }), 'plugins.0.exclude_domains.0: must be a domain'],
    ['an engine of that name', plugin({ engine: 'bing' }), 'plugins.0.engine'],
    ['an engine', plugin({ engine: null }), 'plugins.0.engine'],
    ['results at 0', plugin({ max_results: 0 }), 'plugins.0.max_results'],
    ['results past the most', plugin({ max_results: 26 }), 'plugins.0.max_results'],
    ['half a result', plugin({ max_results: 1.5 }), 'plugins.0.max_results'],
    ['uses below 0', plugin({ max_uses: -1 }), 'plugins.0.max_uses'],
    ['a prompt that is none', plugin({ search_prompt: 1 }), 'plugins.0.search_prompt'],
    ['an invalid location', plugin({ user_location: { type: 'exact' } }), 'plugins.0.user_location'],
    ['two entries', { plugins: [{ id: 'web' }, { id: 'web' }] }, 'plugins.1.id'],
  ])('refuses %s', async (_, fields, message) => {
    const reply = await ask('/messages', fields);
    expect(reply).toMatchObject({ status: 400, error: { message: expect.stringContaining(message) as string } });
    expect([searched(), bench.upstreams.main.requests.length]).toEqual([[], 0]);
  });

  it('accepts options at their bounds', async () => {
    for (const options of [
      { max_results: 1 },
      { max_results: 25 },
      { max_uses: 1 },
      { user_location: null },
      { include_domains: [] },
    ]) {
      bench.begin(ANSWER);
      expect(await ask('/messages', plugin(options))).toMatchObject({ status: 200 });
      expect(searched()).toHaveLength(1);
    }
  });

  it('does not require tools of an endpoint that can do without', async () => {
    const fields = { model: 'test/plain', provider: { require_parameters: true } };
    const reply = await ask('/messages', { ...plugin(), ...fields });
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
    expect(searched()).toHaveLength(1);
  });

  it('calls nothing where no model is left to answer', async () => {
    const reply = await ask('/messages', { ...plugin(), provider: { require_parameters: true } });
    expect([reply.status, searched()]).toEqual([404, []]);
  });

  it('obeys the egress rules of the key, sends them to the engine, and refuses what leaves nothing', async () => {
    const { key: held } = await bench.gateway.newKey({ egress: { allowed_domains: ['one.example', 'two.example'] } });
    finds({ url: PAGE, title: 'One', text: 'x' }, { url: 'https://three.example/', title: 'Three', text: 'x' });
    const within = plugin({ engine: 'exa', exclude_domains: ['two.example'] });
    expect(await ask('/messages', within, { key: held })).toMatchObject({ status: 200 });
    expect(searched()).toMatchObject([{ includeDomains: ['one.example'] }]);
    expect(read()).not.toContain('three.example');
    for (const engine of ['exa', 'native']) {
      bench.begin(ANSWER);
      const reply = await ask('/messages', plugin({ engine, include_domains: ['three.example'] }), { key: held });
      expect([reply.status, reply.error.message, searched()]).toEqual([
        403,
        'plugins.0: no domain is left that this key may reach (egress of key and account)',
        [],
      ]);
    }
  });

  it.each(['redact', 'block'] as const)('has filters %s its query and its results', async (action) => {
    const content_filters = [{ pattern: 'PRJ-\\d+', action, label: 'project' }];
    const { key: guarded } = await bench.gateway.guardedKey({ content_filters });
    const messages = [{ role: 'user', content: `About ${SECRET}.` }];
    const outgoing = await ask('/messages', { ...plugin(), messages }, { key: guarded });
    finds({ url: PAGE, title: 'One', text: `It is ${SECRET}.` });
    if (action === 'redact') {
      expect([outgoing.status, searched()]).toMatchObject([200, [{ query: 'About [REDACTED:project].' }]]);
    } else expect([outgoing.status, searched()]).toEqual([403, []]);
    bench.upstreams.main.requests.length = 0;
    const incoming = await ask('/messages', plugin(), { key: guarded });
    expect(incoming.status).toBe(action === 'redact' ? 200 : 403);
    if (action === 'redact')
      expect([read().includes(SECRET), read().includes('[REDACTED:project]')]).toEqual([false, true]);
    else expect(bench.upstreams.main.requests).toHaveLength(0);
  });
});

describeOnEmbedded('the plugin web without an engine', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database, { tools: { web_search: undefined } });
  }, 240_000);
  afterAll(() => bench?.close());

  it('names the setting that is missing; the sandbox needs none', async () => {
    bench.begin(ANSWER);
    const { key } = await bench.gateway.newKey();
    const refused = await bench.ask('/messages', plugin() as JsonBody, key);
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.text).toContain('the setting is tools.web_search of the catalog file');
    expect(bench.upstreams.main.requests).toHaveLength(0);
    const served = await bench.ask('/messages', { ...plugin(), model: 'sandbox/echo' }, key);
    expect(served).toMatchObject({ status: 200, usage: { server_tool_use: { web_search_requests: 1 } } });
    expect(JSON.stringify(served.content)).toContain('simulated.example');
  });
});
