/**
 * Checks that `POST /routing/explain` returns the plan by which a request would be served, with the reason for each
 * position and each exclusion, calls no provider, and returns the same bytes for the same seed
 * (docs/use/routing.md#asking-why). Explanations are compared with the calls that are then made.
 */
import { MANAGEMENT_KEY } from '../support/app.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { ask, at, inTurn, model, nameOf, RoutingBench } from './routing-bench.js';

const ALL = ['alpha', 'beta', 'gamma'];

describeOnEmbedded('POST /routing/explain', (database) => {
  const clock = new AheadClock();
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      clock,
      providers: {
        alpha: { policy: { collects_data: false, zero_data_retention: true }, quirks: { vendor_tools: 'all' } },
        beta: {},
        gamma: { kind: 'openai' },
      },
      models: [
        model(
          'test/equal',
          ALL.map((slug) => at(slug)),
        ),
        model('test/turns', inTurn(ALL)),
        model('test/weights', [at('alpha', { usd: 1 }), at('beta', { usd: 3 })]),
        model('test/free', [at('gamma', { usd: 0 })]),
        model('test/tiered', [
          at('alpha', { pricing: { priority: { prompt: '2' }, tiers: [{ min_prompt_tokens: 1000, prompt: '7' }] } }),
        ]),
        model('test/limited', [
          at('alpha', { usd: 1, max_completion_tokens: 1_000 }),
          at('beta', { usd: 3, max_completion_tokens: 4_000 }),
        ]),
        model('test/cooled', inTurn(['alpha', 'beta'])),
        model('test/told', inTurn(['alpha', 'beta'])),
        model('test/dialects', inTurn(['gamma', 'alpha'])),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  const tagsOf = (data: JsonBody): readonly string[] => data.candidates.map(({ tag }: JsonBody) => tag);
  const reasonsOf = (data: JsonBody): object =>
    Object.fromEntries(data.excluded.map(({ tag, model: id, reason }: JsonBody) => [tag ?? id, reason]));

  it('answers all of the plan', async () => {
    const { status, data } = await bench.explain(ask('test/turns', { provider: { ignore: ['gamma'] } }), {
      query: '?seed=the-seed',
    });
    expect(status).toBe(200);
    const candidate = {
      model: 'test/turns',
      tier: 'standard',
      geography: null,
      dropped: [],
      credential: 'shared',
      is_byok: false,
      set_back: null,
      pinned: false,
      health: null,
      would_be_granted: true,
      refused_by: null,
    };
    expect(data).toEqual({
      requested: 'test/turns',
      strategy: 'direct',
      models: ['test/turns'],
      ordering: 'draw',
      seed: 'the-seed',
      catalog_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      session: { decides: false, pins: [] },
      attempts_max: 6,
      candidates: [
        {
          ...candidate,
          position: 1,
          provider: 'alpha',
          provider_name: 'Alpha',
          tag: 'alpha',
          weight: 1,
          price: { prompt: '0.5', completion: '0.5' },
          price_per_million: 1,
          bound: '0.0000835',
        },
        {
          ...candidate,
          position: 2,
          provider: 'beta',
          provider_name: 'Beta',
          tag: 'beta',
          weight: 1e-8,
          price: { prompt: '5000', completion: '5000' },
          price_per_million: 10_000,
          bound: '0.835',
        },
      ],
      excluded: [
        {
          model: 'test/turns',
          tag: 'gamma',
          provider: 'Gamma',
          reason: 'ignored',
          words: expect.any(String),
          detail: 'provider.ignore',
        },
      ],
    });
  });

  it('is the same to the byte for the same seed, which it returns', async () => {
    const body = ask('test/equal', { models: ['test/weights'], temperature: 0.3, provider: { zdr: false } });
    const first = await bench.explain(body);
    const seed = String(first.data.seed);
    expect(seed).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
    for (let time = 0; time < 10; time++) {
      expect((await bench.explain(body, { query: `?seed=${seed}` })).text).toBe(first.text);
    }
    // Time alone changes nothing, and no other call in between.
    clock.aheadMs += 5_000;
    await bench.explain(ask('test/turns'));
    expect((await bench.explain(body, { query: `?seed=${seed}` })).text).toBe(first.text);
  });

  it('explains a chat body as it does the same request in the other format', async () => {
    const query = '?seed=a&format=';
    const messages = await bench.explain(ask('test/equal'), { query: `${query}messages` });
    const { max_tokens, ...rest } = ask('test/equal') as JsonBody;
    const chat = await bench.explain({ ...rest, max_completion_tokens: max_tokens }, { query: `${query}chat` });
    expect(chat.status).toBe(200);
    expect(chat.text).toBe(messages.text);
    const refused = await bench.explain({ ...rest, temperature: 3 }, { query: `${query}chat` });
    expect([refused.status, refused.body.error.message]).toEqual([400, 'temperature: must be at most 2']);
  });

  it('explains a body of responses as it does the same request in the other formats', async () => {
    const query = '?seed=a&format=';
    const { max_tokens, messages, ...rest } = ask('test/equal') as JsonBody;
    const body = { ...rest, max_output_tokens: max_tokens, input: messages };
    const answer = await bench.explain(body, { query: `${query}responses` });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe((await bench.explain(ask('test/equal'), { query: `${query}messages` })).text);
    const refused = await bench.explain({ ...body, temperature: 3 }, { query: `${query}responses` });
    expect([refused.status, refused.body.error.message]).toEqual([400, 'temperature: must be at most 2']);
  });

  it('is another for other seeds', async () => {
    const drawn = await Promise.all(Array.from({ length: 40 }, () => bench.explain(ask('test/equal'))));
    expect(new Set(drawn.map(({ data }) => data.seed)).size).toBe(drawn.length);
    expect(new Set(drawn.map(({ data }) => tagsOf(data)[0]))).toEqual(new Set(ALL));
  });

  it('draws by 1/price²: an endpoint at a third of the price is first nine times out of ten', async () => {
    const DRAWS = 300;
    let firsts = 0;
    for (let index = 0; index < DRAWS; index++) {
      const { data } = await bench.explain(ask('test/weights'), { query: `?seed=draw-${index}` });
      if (tagsOf(data)[0] === 'alpha') firsts++;
    }
    expect(firsts / DRAWS).toBeGreaterThan(0.85);
    expect(firsts / DRAWS).toBeLessThan(0.95);
  });

  it('calls no provider', async () => {
    const before = ALL.map((slug) => bench.upstream(slug).connectionsAccepted);
    for (const name of ['test/equal', 'test/turns', 'test/free']) {
      expect((await bench.explain(ask(name, { stream: true, session_id: 's' }))).status).toBe(200);
    }
    expect(ALL.map((slug) => bench.upstream(slug).connectionsAccepted)).toEqual(before);
    expect(bench.calls).toEqual([]);
  });

  it.each<[string, object]>([
    ['a session', ask('test/equal', { session_id: 'one' })],
    ['another session', ask('test/equal', { session_id: 'two' })],
    ['an order', ask('test/equal', { provider: { order: ['gamma', 'alpha'] } })],
    ['a price', ask('test/weights', { provider: { sort: 'price' } })],
    ['two models', ask('test/free', { models: ['test/turns'] })],
    [
      'two models together',
      ask('test/turns', { models: ['test/free'], provider: { sort: { by: 'price', partition: 'none' } } }),
    ],
    ['one attempt', ask('test/turns', { provider: { allow_fallbacks: false } })],
  ])('the request is served as explained: %s', async (_, body) => {
    const { data } = await bench.explain(body);
    for (const slug of ALL) bench.fails(slug, 403);
    expect(await bench.callsOf(body)).toEqual(data.candidates.map(({ provider }: JsonBody) => provider));
  });

  it('takes the session of the header as the request would', async () => {
    const [inBody, inHeader] = await Promise.all([
      bench.explain(ask('test/equal', { session_id: 'one' })),
      bench.explain(ask('test/equal'), { headers: { 'x-session-id': 'one' } }),
    ]);
    expect(inHeader.text).toBe(inBody.text);
    expect(inBody.data).toMatchObject({ ordering: 'session', session: { decides: true, pins: [] } });
    expect(inBody.text).not.toContain('"one"');
  });

  it.each<[string, object, object]>([
    ['data policies', { provider: { zdr: true } }, { beta: 'retains-data', gamma: 'retains-data' }],
    ['collection', { provider: { data_collection: 'deny' } }, { beta: 'collects-data', gamma: 'collects-data' }],
    ['a price cap', { provider: { max_price: { prompt: 1 } } }, { beta: 'max-price', gamma: 'max-price' }],
    ['only', { provider: { only: ['gamma'] } }, { alpha: 'not-allowed', beta: 'not-allowed' }],
    [
      'order alone',
      { provider: { order: ['gamma'], allow_fallbacks: false } },
      { alpha: 'not-in-order', beta: 'not-in-order' },
    ],
    ['the first alone', { provider: { allow_fallbacks: false } }, { beta: 'not-first', gamma: 'not-first' }],
    [
      'all of them',
      { provider: { quantizations: ['int4'] } },
      { alpha: 'quantization', beta: 'quantization', gamma: 'quantization' },
    ],
    ['an unknown further model', { models: ['test/unheard-of'] }, { 'test/unheard-of': 'unknown-model' }],
  ])('lists each exclusion: %s', async (_, more, expected) => {
    const { status, data } = await bench.explain(ask('test/turns', more));
    expect([status, reasonsOf(data)]).toEqual([200, expected]);
    // Every provider is on one of the two lists.
    expect([...tagsOf(data), ...Object.keys(expected)].filter((tag) => ALL.includes(tag)).sort()).toEqual(ALL);
  });

  it('lists tiers separately, with their own prices, and those of long prompts', async () => {
    const plain = await bench.explain(ask('test/tiered'));
    expect(tagsOf(plain.data)).toEqual(['alpha']);
    expect(reasonsOf(plain.data)).toEqual({ 'alpha/priority': 'service-tier' });
    const priority = await bench.explain(ask('test/tiered', { service_tier: 'priority' }));
    expect(priority.data.candidates.map(({ tag, tier, price }: JsonBody) => [tag, tier, price.prompt])).toEqual([
      ['alpha/priority', 'priority', '2'],
      ['alpha', 'standard', '0.5'],
    ]);
    const long = ask('test/tiered', { messages: [{ role: 'user', content: 'x'.repeat(6_000) }] });
    expect((await bench.explain(long)).data.candidates[0]).toMatchObject({
      price: { prompt: '7' },
      price_per_million: 7.5,
    });
  });

  it('marks what is free', async () => {
    expect((await bench.explain(ask('test/free'))).data.candidates[0]).toMatchObject({
      weight: null,
      price: { prompt: '0', completion: '0' },
      price_per_million: 0,
    });
  });

  it('lists endpoints in a cool-down, with its end', async () => {
    bench.fails('alpha', 429, { 'retry-after': '30' });
    const before = clock.now();
    await bench.ask(ask('test/cooled'));
    const { data } = await bench.explain(ask('test/cooled'));
    expect(tagsOf(data)).toEqual(['beta']);
    expect(data.excluded).toEqual([
      {
        model: 'test/cooled',
        tag: 'alpha',
        provider: nameOf('alpha'),
        credential: 'shared',
        reason: 'cooling-down',
        words: expect.stringContaining('cool'),
        cooling_by: 'rate-limit',
        retry_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ]);
    const waitMs = Date.parse(data.excluded[0].retry_at) - before;
    expect(waitMs).toBeGreaterThanOrEqual(30_000);
    expect(waitMs).toBeLessThan(45_000);
  });

  it('shows the known figures', async () => {
    const failing = ask('test/told', { provider: { only: ['alpha'] } });
    await bench.ask(failing);
    bench.fails('alpha', 500);
    await bench.ask(failing);
    const { data } = await bench.explain(ask('test/told'));
    expect(data.candidates[0].health).toEqual({ latency: null, throughput: null, fault_share: 0.5, out: false });
    expect(data.candidates[1].health).toBeNull();
  });

  it('shows which dialect has no form for a field, and the request skips that endpoint', async () => {
    const tool = { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' };
    const question = ask('test/dialects', { tools: [tool] });
    const { data } = await bench.explain(question);
    expect(tagsOf(data)).toEqual(['gamma', 'alpha']);
    expect(data.candidates[0].untranslatable).toEqual({
      field: 'tools.0',
      reason: expect.stringContaining('text_editor_20250728'),
    });
    expect(data.candidates[1]).not.toHaveProperty('untranslatable');
    expect(await bench.callsOf(question)).toEqual(['alpha']);
  });

  it.each([
    ['code_execution_20250825', 'vendor'],
    ['mcp_toolset', 'vendor'],
    ['bash_20241022', 'caller'],
    ['text_editor_20250728', 'caller'],
    ['memory_20250818', 'caller'],
  ])('shows what runs %s, and which candidates have it', async (type, runs_at) => {
    const own = { name: 'own', input_schema: { type: 'object' } };
    const entry = { type, function: null, engine: null, model: null };
    const toolsOf = async (name: string, provider?: object) =>
      (await bench.explain(ask(name, { tools: [own, { type, name: 'x' }], ...(provider && { provider }) }))).data.tools;
    expect(await toolsOf('test/dialects')).toEqual([{ ...entry, runs_at, native_at: [{ tag: 'alpha', price: null }] }]);
    expect(await toolsOf('test/dialects', { only: ['gamma'] })).toEqual([{ ...entry, runs_at: null, native_at: [] }]);
  });

  it('shows that the caller runs what a vendor defines, whether it is shown as it came or as a function', async () => {
    const tools = [{ type: 'bash_20250124', name: 'bash' }];
    const toolsAt = async (slug: string) =>
      (await bench.explain(ask('test/dialects', { tools, provider: { only: [slug] } }))).data.tools;
    expect(await toolsAt('alpha')).toMatchObject([
      { runs_at: 'caller', function: null, native_at: [{ tag: 'alpha' }] },
    ]);
    expect(await toolsAt('gamma')).toMatchObject([{ runs_at: 'caller', function: 'bash', native_at: [] }]);
  });

  it('shows the model of an adviser without one, and the price of its cheapest endpoint', async () => {
    const toolsFor = async (name: string, fields: object = {}, parameters: object = {}) => {
      const tools = [{ type: 'openrouter:advisor', parameters }];
      return (await bench.explain(ask(name, { tools, ...fields }))).data.tools;
    };
    const named = { runs_at: 'gateway', function: 'advisor', model: 'test/weights', price: '0', native_at: [] };
    const at = (usd: number) => ({ prompt: String(usd / 2), completion: String(usd / 2) });
    expect(await toolsFor('test/weights')).toMatchObject([{ ...named, model_pricing: at(1) }]);
    expect(await toolsFor('test/weights:nitro')).toMatchObject([{ ...named, model_pricing: at(1) }]);
    expect(await toolsFor('test/weights', { provider: { only: ['beta'] } })).toMatchObject([
      { ...named, model_pricing: at(3) },
    ]);
    expect(await toolsFor('test/free', {}, { model: 'test/weights' })).toMatchObject([
      { ...named, model_pricing: at(1) },
    ]);
    const unserved = await toolsFor('test/free', { provider: { only: ['gamma'] } }, { model: 'test/weights' });
    expect(unserved).toMatchObject([
      { ...named, model_pricing: null, refusal: expect.stringMatching(/No endpoint of test\/weights is left/) },
    ]);
    expect(await bench.callsOf(ask('test/free'))).toHaveLength(1);
  });

  it('prices what an adviser is shown by its length', async () => {
    const tools = [
      { type: 'openrouter:advisor' },
      { type: 'openrouter:advisor', parameters: { forward_transcript: false } },
    ];
    const messages = [{ role: 'user', content: 'x'.repeat(6_000) }];
    const { data } = await bench.explain(ask('test/tiered', { tools, messages }));
    expect(data.tools.map(({ model_pricing }: JsonBody) => model_pricing.prompt)).toEqual(['7', '0.5']);
  });

  it('prices an adviser by an endpoint with the requested output, or by the one with the most where none has it', async () => {
    const limits = [1_000, undefined, 4_000, 4_001, 100_000];
    const tools = limits.map((max_tokens) => ({
      type: 'openrouter:advisor',
      parameters: { model: 'test/limited', ...(max_tokens !== undefined && { max_tokens }) },
    }));
    const { data } = await bench.explain(ask('test/free', { tools }));
    const prices = data.tools.map(({ model_pricing, refusal }: JsonBody) => [model_pricing?.prompt, refusal]);
    expect(prices).toEqual(['0.5', '1.5', '1.5', '1.5', '1.5'].map((price) => [price, undefined]));
  });

  it('names unknown entries of lists', async () => {
    const { status, data } = await bench.explain(ask('test/turns', { provider: { only: ['alfa', 'alpha'] } }));
    expect([status, data.candidates.length > 0]).toEqual([200, true]);
    expect(data.unknown_providers).toEqual([{ field: 'provider.only.0', name: 'alfa', nearest: ['alpha'] }]);
  });

  it('is for either kind of key, and refuses requests without one', async () => {
    expect((await bench.explain(ask('test/turns'), { key: MANAGEMENT_KEY })).status).toBe(200);
    const { status, body } = await bench.explain(ask('test/turns'), { key: null });
    expect([status, body.error.code]).toEqual([401, 401]);
  });

  it.each<[string, object, string, number, RegExp]>([
    ['an unknown model', ask('test/unheard-of'), '', 404, /test\/unheard-of/],
    ['an unknown preference', ask('test/turns', { provider: { fast: true } }), '', 400, /^provider\.fast/],
    [
      'a contradiction',
      ask('test/turns', { provider: { only: ['beta'], ignore: ['beta'] } }),
      '',
      400,
      /^provider\.only/,
    ],
    ['no messages', { model: 'test/turns' }, '', 400, /^messages/],
    ['a seed that is none', ask('test/turns'), '?seed=%20', 400, /^seed/],
    ['a seed too long', ask('test/turns'), `?seed=${'x'.repeat(65)}`, 400, /^seed/],
    ['an unknown format', ask('test/turns'), '?format=soap', 400, /^format/],
  ])('refuses as the request itself would be: %s', async (_, body, query, status, message) => {
    const answer = await bench.explain(body, { query });
    expect([answer.status, answer.body.error.code]).toEqual([status, status]);
    expect(answer.body.error.message).toMatch(message);
  });

  it('takes the format by name, and unknown queries', async () => {
    const [plain, named] = await Promise.all(
      ['?seed=s', '?format=messages&seed=s&beta=true'].map((query) => bench.explain(ask('test/equal'), { query })),
    );
    expect(named!.text).toBe(plain!.text);
  });
});
