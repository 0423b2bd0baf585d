/**
 * A parameter of a tool is obeyed wherever the tool runs, or refused by name; none is dropped silently. Loopback
 * upstreams of two formats, with and without a price for their own searches; compares what arrived there with the
 * reply.
 */
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { anthropicText, anthropicToolUse } from '../support/anthropic-upstream.js';
import { openaiText, openaiTools } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import type { Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { postHello } from './post-hello.js';

const SELLS = { pricing: { prompt: '1', completion: '1', web_search: '0.01' } };
const DOMAINS = ['a.example'];

const inTurn =
  (...scripts: readonly Script[]): Script =>
  (request, index) =>
    scripts[Math.min(index, scripts.length - 1)]!(request, index);

describeOnEmbedded('parameters of tools', (database) => {
  let anthropic: Upstream;
  let openai: Upstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    anthropic = await startUpstream('anthropic');
    openai = await startUpstream('openai');
    const vendor = [{ url: anthropic.url, dialect: 'anthropic-messages' }] as const;
    const chat = [{ url: openai.url, dialect: 'openai-chat' }] as const;
    const models = catalogOf(
      { id: 'test/selling', at: [...vendor], endpoint: SELLS },
      { id: 'test/plain', at: [...vendor] },
      { id: 'test/chat', at: [...chat] },
      { id: 'test/searching', at: [...chat], endpoint: SELLS },
    );
    const engines = { simulated: {}, searxng: { base_url: 'http://127.0.0.1:9' } };
    gateway = await startGateway(database, { catalog: { ...models, tools: { web_search: { engines } } } });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await Promise.all([anthropic?.close(), openai?.close()]);
  });
  beforeEach(() => {
    for (const upstream of [anthropic, openai]) upstream.requests.length = 0;
    anthropic.script(anthropicText('Yes.'));
    openai.script(openaiText('Yes.'));
  });

  const post = (path: string, fields: object) => postHello(gateway, path, fields);
  const messages = (model: string, tool: object, more: object = {}) =>
    post('/messages', { model, tools: [tool], ...more });
  const chat = (model: string, fields: object) => post('/chat/completions', { model, ...fields });
  const sent = ({ requests }: Upstream, index = 0): JsonBody => requests[index]!.json;
  const search = (parameters: object) => ({ type: 'openrouter:web_search', parameters });

  describe('a search by the vendor', () => {
    it.each<[string, object]>([
      ['max_results', { max_results: 2 }],
      ['max_total_results', { max_total_results: 2 }],
      ['max_characters', { max_characters: 200 }],
      ['search_context_size', { search_context_size: 'low' }],
    ])('is refused where the vendor has no parameter for %s', async (name, parameters) => {
      const { status, body } = await messages('test/selling', search({ engine: 'native', ...parameters }));
      expect([status, body.error.message]).toEqual([
        400,
        expect.stringContaining(`tools.0.parameters.${name}: no vendor whose search could be used accepts it`),
      ]);
      expect(anthropic.requests).toHaveLength(0);
    });

    it('is made with all of its parameters', async () => {
      const parameters = { engine: 'native', excluded_domains: DOMAINS, max_uses: 2 };
      expect((await messages('test/selling', search(parameters))).status).toBe(200);
      expect(sent(anthropic).tools).toEqual([
        { type: 'web_search_20250305', name: 'web_search', blocked_domains: DOMAINS, max_uses: 2 },
      ]);
    });

    it.each(['/messages', '/chat/completions'])('is marked for the cache as requested, on %s', async (path) => {
      const marker = { type: 'ephemeral', ttl: '1h' };
      const tools = [{ ...search({ engine: 'native' }), cache_control: marker }];
      expect((await post(path, { model: 'test/selling', tools })).status).toBe(200);
      expect(sent(anthropic).tools).toMatchObject([{ type: 'web_search_20250305', cache_control: marker }]);
    });

    it('is left to the gateway where the choice is open', async () => {
      const parameters = { engine: 'auto', max_results: 2 };
      expect((await messages('test/selling', search(parameters))).status).toBe(200);
      expect(sent(anthropic).tools).toMatchObject([{ name: 'web_search', input_schema: {} }]);
    });
  });

  it.each(['searxng', 'simulated'])('names the engine %s that is set up', async (engine) => {
    expect((await messages('test/chat', search({ engine }))).status).toBe(200);
    expect(sent(openai).tools).toMatchObject([{ function: { name: 'web_search' } }]);
  });

  describe('OpenAI’s fields for a search on chat', () => {
    it('keep their domains', async () => {
      const tools = [{ type: 'web_search', filters: { allowed_domains: DOMAINS } }];
      expect((await chat('test/chat', { tools })).status).toBe(200);
      expect(sent(openai).tools[0].function.description).toContain('Only a.example can be searched.');
      expect((await chat('test/selling', { tools })).status).toBe(200);
      expect(sent(anthropic).tools).toMatchObject([{ type: 'web_search_20250305', allowed_domains: DOMAINS }]);
    });

    it.each<[object, string]>([
      [{ max_results: 99 }, 'tools.0.max_results'],
      [{ filters: { allowed_domains: 'a' } }, 'tools.0.filters.allowed_domains'],
      [{ parameters: { max_uses: 'x' } }, 'tools.0.parameters.max_uses'],
    ])('are checked: %j', async (options, field) => {
      const { status, body } = await chat('test/chat', { tools: [{ type: 'web_search_preview', ...options }] });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(field)]);
    });

    const OPTIONS = {
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { city: 'Kiel', country: 'DE' } },
    };

    it('are the vendor’s own field where it sells searches', async () => {
      expect((await chat('test/searching', { web_search_options: OPTIONS })).status).toBe(200);
      expect(sent(openai)).toMatchObject({ web_search_options: OPTIONS });
      expect(sent(openai)).not.toHaveProperty('tools');
    });

    it('are the gateway’s search where it does not', async () => {
      openai.script(inTurn(openaiTools({ name: 'web_search', input: { query: 'boats' } }), openaiText('So.')));
      const { body } = await chat('test/chat', { web_search_options: OPTIONS });
      expect(body).toMatchObject({
        choices: [{ message: { content: 'So.' }, finish_reason: 'stop' }],
        usage: { server_tool_use_details: { web_search_requests: 1 } },
      });
      expect(sent(openai)).not.toHaveProperty('web_search_options');
      expect(sent(openai).tools[0].function.description).toContain('The user is near Kiel, DE.');
    });
  });

  describe('a vendor’s tool that the gateway serves', () => {
    const ADVISOR = { type: 'advisor_20260301', name: 'advisor', model: 'test/plain' };
    const CODE = ['code_execution_20250825'];

    it.each<[object, string]>([
      [{ ...ADVISOR, allowed_callers: CODE }, 'tools.0.allowed_callers'],
      [{ ...ADVISOR, defer_loading: true }, 'tools.0.defer_loading'],
      [{ type: 'web_search_20260209', name: 'web_search', allowed_callers: CODE }, 'tools.0.allowed_callers'],
    ])('is refused by the field that the gateway cannot keep: %j', async (tool, field) => {
      const { status, body } = await messages('test/chat', tool);
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(`${field}: `)]);
    });

    it('marks the advisor’s prompt as requested', async () => {
      openai.script(inTurn(openaiTools({ name: 'advisor', input: { question: 'So?' } }), openaiText('Done.')));
      const caching = { type: 'ephemeral', ttl: '1h' };
      const { status } = await messages('test/chat', { ...ADVISOR, caching, allowed_callers: ['direct', ...CODE] });
      expect(status).toBe(200);
      const [{ content }] = sent(anthropic).messages;
      expect(content).toMatchObject([{ cache_control: caching }, { text: 'The question: So?' }]);
      expect(content[1]).not.toHaveProperty('cache_control');
    });
  });

  describe('a cache marker on a tool of the gateway’s', () => {
    const marker = { type: 'ephemeral', ttl: '1h' };
    const TYPES = ['openrouter:datetime', 'openrouter:web_search', 'web_search'];
    const FACES = [
      ['/messages', TYPES.slice(0, 2)],
      ['/chat/completions', TYPES],
    ] as const;

    it.each(FACES)('is put on the function that the model is offered: %s', async (path, types) => {
      const tools = types.map((type) => ({ type, cache_control: marker }));
      for (const tool of tools) expect((await post(path, { model: 'test/plain', tools: [tool] })).status).toBe(200);
      const shown = anthropic.requests.map(({ json: body }) => body.tools[0].cache_control);
      expect(shown).toEqual(types.map(() => marker));
    });

    it.each(FACES)('is checked as on any tool: %s', async (path, types) => {
      for (const type of [...types, 'openrouter:unheard_of']) {
        for (const { cache_control, fault } of [
          { cache_control: 'x', fault: ': must be an object or null' },
          { cache_control: [], fault: ': must be an object or null' },
          { cache_control: { type: 'bad' }, fault: '.type: must be ephemeral' },
          { cache_control: { type: 'ephemeral', ttl: '2h' }, fault: '.ttl: must be one of 5m, 1h' },
        ]) {
          const { status, body } = await post(path, { model: 'test/plain', tools: [{ type, cache_control }] });
          expect([status, body.error?.message]).toEqual([400, `tools.0.cache_control${fault}`]);
        }
      }
      expect(anthropic.requests).toEqual([]);
    });
  });

  it('never runs a tool whose limit is zero', async () => {
    for (const [type, name, input] of [
      ['openrouter:web_search', 'web_search', { query: 'a' }],
      ['openrouter:web_fetch', 'web_fetch', { url: 'http://a.example/' }],
      ['openrouter:advisor', 'advisor', {}],
    ] as const) {
      anthropic.requests.length = 0;
      anthropic.script(inTurn(anthropicToolUse({ name, input }), anthropicText('Alone then.')));
      const { status, body } = await messages('test/plain', { type, parameters: { max_uses: 0 } });
      expect([status, JSON.stringify(body.content)]).toEqual([200, expect.stringContaining('max_uses_exceeded')]);
      expect(anthropic.requests).toHaveLength(2);
    }
  });
});
