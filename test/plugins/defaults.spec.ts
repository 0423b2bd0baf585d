/**
 * Plugin defaults of the account and a workspace apply where a request does not mention the plugin. The request's entry
 * replaces them unless they are fixed, which is reported; answers, token counts and explanations agree, and a change
 * applies immediately. Strict doubles, with plugins whose effect shows in the answer, whole and streamed, on both
 * faces. Rules: docs/use/tools-and-plugins.md#defaults.
 */
import { MANAGEMENT_KEY, type NewKey } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import {
  CALL,
  calls,
  LoopBench,
  microUsd,
  PRICES,
  TWO_ROUTES,
  answers,
  TOOLS,
  USES,
  type Route,
} from '../tools/faults-bench.js';

const FACES = TWO_ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream })));
const SHORT = 8_192;
const LONG = [
  ...Array.from({ length: 200 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${'word '.repeat(80)}`,
  })),
  { role: 'user', content: 'And now?' },
];
const SCHEMA = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };
const BROKEN = 'It is {a: 1,}';
const formatOn = (route: Route): object =>
  route === '/messages'
    ? { output_config: { format: { type: 'json_schema', schema: SCHEMA } } }
    : { response_format: { type: 'json_object' } };

describeOnEmbedded('defaults of plugins', (database) => {
  let bench: LoopBench;
  /** Keys of the default workspace, and of another one. */
  let home: NewKey;
  let away: NewKey;
  beforeAll(async () => {
    bench = await LoopBench.start(database, { models: [{ id: 'test/short', model: { context_length: SHORT } }] });
    await manage('POST', '/workspaces', { name: 'Away', slug: 'away' });
    home = await bench.gateway.newKey();
    away = await bench.gateway.newKey({ workspace_id: 'away' });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.begin(answers('So.')));
  afterEach(async () => {
    await account([]);
    await workspace(null);
  });

  const manage = async (method: string, path: string, body: object): Promise<JsonBody> =>
    (await bench.gateway.manage(method, path, body)).data;
  const account = (plugins: object[] | null): Promise<JsonBody> => manage('PATCH', '/account/preferences', { plugins });
  const workspace = (plugins: object[] | null): Promise<JsonBody> => manage('PATCH', '/workspaces/away', { plugins });

  const ask = (route: Route, fields: object, { key } = away): Promise<JsonBody> =>
    bench.ask(route, { tools: undefined, ...fields }, key);
  const post = async (path: string, fields: object, { key } = away): Promise<JsonBody> => {
    const response = await bench.gateway.request(path, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify(bench.body({ tools: undefined, ...fields })),
    });
    return (await response.json()) as JsonBody;
  };
  const sent = (): JsonBody => bench.upstreams.main.requests[0]!.json;
  const textOf = (reply: JsonBody): string => reply.message?.content ?? reply.content[0].text;

  describe.each(FACES)('on $route, stream $stream', ({ route, stream }) => {
    it('heal answers in the workspace that enables it, for the same cost', async () => {
      await workspace([{ id: 'response-healing' }]);
      for (const [key, text] of [[away, '{"a": 1}'], [home, BROKEN]] as const) {
        bench.begin(answers(BROKEN));
        const reply = await ask(route, { stream, ...formatOn(route) }, key);
        expect([reply.status, textOf(reply), microUsd(reply.usage.cost)]).toEqual([200, text, CALL]);
        expect(await bench.row(reply.id)).toMatchObject({ outcome: 'completed', cost: CALL });
      }
    }); // oxfmt-ignore

    it('offer tools with their options, unless the request turns them off', async () => {
      await account([{ id: 'web-fetch', max_uses: 1 }]);
      bench.begin(calls(bench.fetches, bench.fetches), answers('So.'));
      const reply = await ask(route, { stream });
      expect([reply.status, sent().tools[0].name]).toEqual([200, 'web_fetch']);
      expect((await bench.row(reply.id)).cost).toBe(2 * CALL + PRICES.fetch);
      bench.begin(answers('So.'));
      await ask(route, { stream, plugins: [{ id: 'web-fetch', enabled: false }] });
      expect(sent().tools ?? []).toEqual([]);
    });

    it('search, and charge for it, whatever the request sets where they are fixed', async () => {
      await account([{ id: 'web', engine: 'exa', max_results: 3, prevent_overrides: true }]);
      for (const plugins of [undefined, [{ id: 'web', max_results: 7 }], [{ id: 'web', enabled: false }]]) {
        bench.begin(answers('So.'));
        const reply = await ask(route, { stream, plugins });
        expect(reply.status).toBe(200);
        expect(bench.upstreams.engine.requests.map(({ json }) => json.numResults)).toEqual([3]);
        expect(await bench.row(reply.id)).toMatchObject({ cost: CALL + PRICES.search, tools_cost: PRICES.search });
      }
    });

    it('compress the context where they enable it', async () => {
      const fields = { model: 'test/short', messages: LONG, stream };
      expect((await ask(route, fields)).status).toBe(200);
      await account([{ id: 'context-compression', enabled: false }]);
      expect((await ask(route, fields)).status).toBe(400);
      await workspace([{ id: 'context-compression' }]);
      expect((await ask(route, fields)).status).toBe(200);
      expect((await ask(route, fields, home)).status).toBe(400);
    });
  });

  it('give way to the older option of chat, unless they are fixed', async () => {
    const sendLong = (): Promise<JsonBody> =>
      ask('/chat/completions', { model: 'test/short', messages: LONG, transforms: ['middle-out'] });
    await account([{ id: 'context-compression', enabled: false }]);
    expect((await sendLong()).status).toBe(200);
    await account([{ id: 'context-compression', enabled: false, prevent_overrides: true }]);
    expect((await sendLong()).status).toBe(400);
  });

  it.each(TWO_ROUTES)('give way to the suffix :online on %s, unless they are fixed', async (route) => {
    const searched = async (): Promise<number[]> => {
      bench.begin(answers('So.'));
      await ask(route, { model: 'test/main:online' });
      return bench.upstreams.engine.requests.map(({ json }) => json.numResults);
    };
    await account([{ id: 'web', max_results: 3, enabled: false }]);
    expect(await searched()).toEqual([5]);
    await account([{ id: 'web', max_results: 3, enabled: false, prevent_overrides: true }]);
    expect(await searched()).toEqual([]);
    await account([{ id: 'web', max_results: 3, prevent_overrides: true }]);
    expect(await searched()).toEqual([3]);
  });

  it('are reported where the request’s entry was overruled, in the pipeline and the explanation', async () => {
    await workspace([{ id: 'web-fetch', prevent_overrides: true }, { id: 'response-healing' }]);
    const fields = {
      plugins: [
        { id: 'web-fetch', enabled: false },
        { id: 'web', enabled: false },
      ],
    };
    for (const route of TWO_ROUTES) {
      const { router_metadata: metadata } = await post(route, fields);
      const stage = { type: 'plugin', name: 'web-fetch', cost_usd: 0 };
      expect(metadata.pipeline).toEqual([
        { ...stage, summary: 'override prevented', data: { by: 'workspace', milliseconds: 0 } },
        { ...stage, summary: 'offered', data: { milliseconds: expect.any(Number) } },
      ]);
    }
    const { data } = await post('/routing/explain', fields);
    expect(data.plugins).toEqual([
      { id: 'web-fetch', enabled: true, set_by: 'workspace', override_prevented: true },
      { id: 'response-healing', enabled: true, set_by: 'workspace', override_prevented: false },
      { id: 'web', enabled: false, set_by: 'request', override_prevented: false },
    ]);
    expect(data.tools).toMatchObject([{ type: 'openrouter:web_fetch' }]);
    expect((await post('/routing/explain', {}, home)).data.plugins).toBeUndefined();
  });

  it('are counted', async () => {
    const plain = (await post('/messages/count_tokens', {})).input_tokens;
    await account([{ id: 'web-fetch' }]);
    expect((await post('/messages/count_tokens', {})).input_tokens).toBeGreaterThan(plain);
    expect(
      (await post('/messages/count_tokens', { plugins: [{ id: 'web-fetch', enabled: false }] })).input_tokens,
    ).toBe(plain);
  });

  it('apply to requests of callers, not to consulted models', async () => {
    await account([{ id: 'web', engine: 'exa', prevent_overrides: true }, { id: 'web-fetch' }]);
    bench.begin(calls(USES.advisor), answers('So.'));
    const reply = await ask('/messages', { tools: [TOOLS.advisor] });
    expect(reply.status).toBe(200);
    expect(bench.upstreams.engine.requests).toHaveLength(1);
    expect(bench.upstreams.adviser.requests[0]!.json.tools ?? []).toEqual([]);
    await bench.row(reply.id);
  });

  it('are named by their plugin where they cannot be kept', async () => {
    await account([{ id: 'web', engine: 'parallel' }]);
    const messageFor = async (plugins?: object[]): Promise<string> =>
      (await post('/messages', { plugins })).error.message;
    expect(await messageFor()).toContain('plugins.web.engine: the engine parallel is not set up');
    expect(await messageFor([{ id: 'moderation' }, { id: 'web', engine: 'firecrawl' }])).toContain(
      'plugins.1.engine: ',
    );
    await account([{ id: 'web', engine: 'parallel', prevent_overrides: true }]);
    expect(await messageFor([{ id: 'web', engine: 'exa' }])).toContain('plugins.web.engine: the engine parallel');
  });

  it('do not make a request a routed one', async () => {
    await account([{ id: 'auto-router', allowed_models: ['none/*'], prevent_overrides: true }]);
    expect((await ask('/messages', {})).status).toBe(200);
  });

  it('are returned as they are stored, and an empty change changes nothing', async () => {
    const plugins = [
      { id: 'fusion', tools: [{ type: 'web_search', parameters: { max_results: 3 } }], enabled: false },
      { id: 'web', prevent_overrides: true },
    ];
    expect((await account(plugins)).plugins).toEqual(plugins);
    const entries = async (): Promise<JsonBody[]> => {
      const response = await bench.gateway.request('/audit?action=account.preferences.update', { key: MANAGEMENT_KEY });
      return ((await response.json()) as JsonBody).data;
    };
    const [latest] = await entries();
    expect(latest).toMatchObject({ before: { plugins: [] }, after: { plugins } });
    expect((await account(plugins)).plugins).toEqual(plugins);
    expect((await entries())[0]!.id).toBe(latest!.id);
    const made = await manage('POST', '/workspaces', { name: 'Made', slug: 'made', plugins });
    expect(made.plugins).toEqual(plugins);
    const shown = await bench.gateway.request(`/workspaces/${made.id}`, { key: MANAGEMENT_KEY });
    expect(((await shown.json()) as JsonBody).data.plugins).toEqual(plugins);
  });

  it.each([...TWO_ROUTES, '/messages/count_tokens', '/routing/explain'])(
    '%s refuses two entries of one',
    async (path) => {
      const { error } = await post(path, { plugins: [{ id: 'web' }, { id: 'fusion' }, { id: 'web', enabled: false }] });
      expect(error.message).toContain('plugins.2.id: web has an entry already; send one');
    },
  );
});
