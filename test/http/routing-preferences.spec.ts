/**
 * Checks that every provider preference affects the calls as docs/use/choosing-providers.md#provider-preferences
 * specifies, and that a senseless preference is refused by its name. Scripted providers record the calls in order;
 * prices are so far apart that the draw keeps their order.
 */
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnEmbedded } from '../support/database.js';
import { sse } from '../support/upstream-answers.js';
import type { JsonBody } from '../support/recorded-request.js';
import { delta, END, OPEN } from './messages-bench.js';
import { ask, at, inTurn, model, RoutingBench } from './routing-bench.js';

const ALL = ['alpha', 'beta', 'gamma'];
const IMAGE = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
};
const TOOLS = [{ name: 'get_weather', input_schema: { type: 'object', properties: {} } }];

describeOnEmbedded('provider preferences', (database) => {
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      providers: {
        alpha: { policy: { collects_data: true, zero_data_retention: false } },
        beta: { policy: { collects_data: false, zero_data_retention: false } },
        gamma: { policy: { collects_data: false, zero_data_retention: true } },
        delta: { kind: 'openai' },
        // By its slug a provider that sells tiers.
        openai: { kind: 'openai' },
      },
      models: [
        model('test/trio', inTurn(ALL), { distillable: true }),
        model('test/alone', [at('alpha')], { distillable: false }),
        model('test/variants', inTurn(['alpha', 'beta/turbo', 'beta'])),
        model('test/widths', [
          at('alpha', { quantization: 'int4' }),
          at('beta', { usd: 10_000, quantization: 'mxfp8' }),
          at('gamma', { usd: 100_000_000, quantization: 'bf16' }),
        ]),
        model('test/skills', [
          at('alpha', { supported_parameters: ['max_tokens'] }),
          at('beta', { usd: 10_000, supported_parameters: ['max_tokens', 'tools'] }),
          at('gamma', { usd: 100_000_000, supported_parameters: ['max_tokens', 'tools', 'temperature'] }),
        ]),
        model('test/toolless', [at('delta', { supported_parameters: ['max_tokens'] })]),
        model('test/lengths', [
          at('alpha', { max_completion_tokens: 50 }),
          at('beta', { usd: 10_000, context_length: 300 }),
          at('gamma', { usd: 100_000_000 }),
        ]),
        model('test/text-only', [at('alpha')], { input_modalities: ['text'] }),
        model('test/tiers', [
          at('openai', { pricing: { priority: { prompt: '9' }, flex: { prompt: '0.1' } } }),
          at('alpha', { usd: 10_000 }),
        ]),
        model('test/gratis', [at('alpha'), at('beta', { usd: 0 })]),
        model('test/priced', [at('alpha', { usd: 2 }), at('beta', { usd: 4 }), at('gamma', { usd: 3 })]),
        model('test/dear', [at('alpha', { usd: 8 })]),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  /** Every provider refuses, so the calls are the whole plan. */
  async function planOf(to: string, provider: object, more: object = {}): Promise<readonly string[]> {
    for (const slug of [...ALL, 'openai']) bench.fails(slug, 500);
    return bench.callsOf(ask(to, { provider, ...more }));
  }

  describe('the tried providers, in order', () => {
    it.each<[string, object, readonly string[]]>([
      ['nothing specified', {}, ['alpha', 'beta', 'gamma']],
      ['null everywhere', { order: null, only: null, ignore: null, sort: null, quantizations: null }, ALL],
      ['empty lists have no effect', { order: [], only: [], ignore: [] }, ALL],
      ['order: those first, then the rest', { order: ['gamma', 'beta'] }, ['gamma', 'beta', 'alpha']],
      ['order: those that do not host the model are skipped', { order: ['groq', 'gamma'] }, ['gamma', 'alpha', 'beta']],
      ['order without fallbacks', { order: ['gamma', 'beta'], allow_fallbacks: false }, ['gamma', 'beta']],
      ['no fallbacks', { allow_fallbacks: false }, ['alpha']],
      ['fallbacks, specified', { allow_fallbacks: true }, ALL],
      ['only', { only: ['gamma', 'beta'] }, ['beta', 'gamma']],
      ['only, by display name', { only: ['Beta'] }, ['beta']],
      ['ignore', { ignore: ['alpha'] }, ['beta', 'gamma']],
      ['only and ignore', { only: ['alpha', 'beta'], ignore: ['alpha'] }, ['beta']],
      ['only and order', { only: ['alpha', 'gamma'], order: ['gamma'] }, ['gamma', 'alpha']],
      ['order switches sort off as a picker', { order: ['beta'], sort: 'price' }, ['beta', 'alpha', 'gamma']],
      ['data_collection deny', { data_collection: 'deny' }, ['beta', 'gamma']],
      ['data_collection allow', { data_collection: 'allow' }, ALL],
      ['zdr', { zdr: true }, ['gamma']],
      ['zdr false loosens nothing', { zdr: false, data_collection: 'deny' }, ['beta', 'gamma']],
      ['enforce_distillable_text', { enforce_distillable_text: true }, ALL],
      ['max_price below all but one', { max_price: { prompt: '0.5' } }, ['alpha']],
      ['max_price as a number', { max_price: { prompt: 5_000, completion: 5_000 } }, ['alpha', 'beta']],
      ['max_price just under', { max_price: { completion: '4999.999999' } }, ['alpha']],
    ])('%s', async (_, provider, expected) => {
      expect(await planOf('test/trio', provider)).toEqual(expected);
    });

    it.each<[string, object, readonly string[]]>([
      ['price', { sort: 'price' }, ['alpha', 'gamma', 'beta']],
      ['price, as a config', { sort: { by: 'price' } }, ['alpha', 'gamma', 'beta']],
      ['price among some', { sort: 'price', ignore: ['alpha'] }, ['gamma', 'beta']],
    ])('sort by %s switches the draw off', async (_, provider, expected) => {
      for (let time = 0; time < 5; time++) expect(await planOf('test/priced', provider)).toEqual(expected);
    });

    it('sort by exacto puts precision first', async () => {
      expect(await planOf('test/widths', { sort: 'exacto' })).toEqual(['gamma', 'beta', 'alpha']);
    });

    it.each<[string, object, readonly string[]]>([
      ['one', { quantizations: ['bf16'] }, ['gamma']],
      ['several', { quantizations: ['int4', 'bf16'] }, ['alpha', 'gamma']],
      ['fp8, which mxfp8 is as well', { quantizations: ['fp8'] }, ['beta']],
    ])('quantizations: %s', async (_, provider, expected) => {
      expect(await planOf('test/widths', provider)).toEqual(expected);
    });

    it.each<[string, object, object, readonly string[]]>([
      ['a base slug means its variants, too', { only: ['beta'] }, {}, ['beta', 'beta']],
      ['a full slug means one', { ignore: ['beta/turbo'] }, {}, ['alpha', 'beta']],
    ])('variants: %s', async (_, provider, more, expected) => {
      expect(await planOf('test/variants', provider, more)).toEqual(expected);
    });

    it.each<[string, object, object, readonly string[]]>([
      ['nothing special', {}, {}, ['alpha', 'beta', 'gamma']],
      ['tools prefer those that support them', {}, { tools: TOOLS }, ['beta', 'gamma']],
      ['a sampling parameter excludes no provider', {}, { temperature: 0.5 }, ['alpha', 'beta', 'gamma']],
      ['unless it is required', { require_parameters: true }, { temperature: 0.5 }, ['gamma']],
      ['required and nothing special', { require_parameters: true }, {}, ['alpha', 'beta', 'gamma']],
      ['required, not required', { require_parameters: false }, { temperature: 0.5 }, ['alpha', 'beta', 'gamma']],
    ])('parameters: %s', async (_, provider, more, expected) => {
      expect(await planOf('test/skills', provider, more)).toEqual(expected);
    });

    it.each<[string, object, readonly string[]]>([
      ['a short answer to a short prompt', { max_tokens: 50 }, ['alpha', 'beta', 'gamma']],
      ['an answer longer than one can give', { max_tokens: 51 }, ['beta', 'gamma']],
      ['a long prompt', { messages: [{ role: 'user', content: 'word '.repeat(600) }] }, ['alpha', 'gamma']],
    ])('lengths: %s', async (_, more, expected) => {
      expect(await planOf('test/lengths', {}, { max_tokens: 10, ...more })).toEqual(expected);
    });

    it('free endpoints are first', async () => {
      expect(await planOf('test/gratis', {})).toEqual(['beta', 'alpha']);
    });
  });

  it('without fallbacks the only one is called, and its own error is returned', async () => {
    bench.fails('alpha', 529);
    const { status, body } = await bench.ask(ask('test/trio', { provider: { allow_fallbacks: false } }));
    expect([status, body.error.metadata.provider_name, bench.calls]).toEqual([529, 'Alpha', ['alpha']]);
  });

  it('tools reach a model of which no endpoint supports them: the request is still served', async () => {
    const { status } = await bench.ask(ask('test/toolless', { tools: TOOLS, temperature: 0.5, top_p: 0.5 }));
    expect([status, bench.calls]).toEqual([200, ['delta']]);
    const { json } = bench.sent('delta');
    expect(Object.keys(json)).not.toEqual(expect.arrayContaining(['temperature']));
    expect(Object.keys(json)).not.toEqual(expect.arrayContaining(['top_p']));
  });

  it.each<[string, object, unknown]>([
    ['nothing', {}, undefined],
    ['service_tier priority', { service_tier: 'priority' }, 'priority'],
    ['service_tier flex', { service_tier: 'flex' }, 'flex'],
    ['speed fast', { speed: 'fast' }, 'priority'],
    ['a full slug', { provider: { only: ['openai/priority'] } }, 'priority'],
    ['a base slug, which means no tier', { provider: { only: ['openai'] } }, undefined],
  ])('tiers: %s', async (_, more, tier) => {
    await bench.ask(ask('test/tiers', more));
    expect([bench.calls, bench.sent('openai').json.service_tier]).toEqual([['openai'], tier]);
  });

  it('a tier the first choice lacks: its normal endpoint after that of the tier', async () => {
    expect(await planOf('test/tiers', {}, { service_tier: 'priority' })).toEqual(['openai', 'openai', 'alpha']);
    expect(await planOf('test/tiers', {}, { service_tier: 'flex' })).toEqual(['openai']);
  });

  describe('several models', () => {
    const models = ['test/dear', 'test/priced'];
    it.each<[string, object, readonly string[]]>([
      ['one after the other', {}, ['alpha', 'alpha', 'gamma', 'beta']],
      [
        'partition model',
        { provider: { sort: { by: 'price', partition: 'model' } } },
        ['alpha', 'alpha', 'gamma', 'beta'],
      ],
      [
        'partition none',
        { provider: { sort: { by: 'price', partition: 'none' } } },
        ['alpha', 'gamma', 'beta', 'alpha'],
      ],
      ['route sort', { route: 'sort', provider: { sort: 'price' } }, ['alpha', 'gamma', 'beta', 'alpha']],
      ['route fallback', { route: 'fallback', provider: { sort: 'price' } }, ['alpha', 'alpha', 'gamma', 'beta']],
    ])('%s', async (_, more, expected) => {
      const sorted = { provider: { sort: 'price' }, ...more };
      for (const slug of ALL) bench.fails(slug, 500);
      const calls = await bench.callsOf(ask(models[0]!, { models: models.slice(1), ...sorted }));
      expect(calls).toEqual(expected);
    });

    it('a model that cannot read an image leaves it to the next', async () => {
      const messages = [{ role: 'user', content: [IMAGE] }];
      const { body } = await bench.ask(ask('test/text-only', { models: ['test/trio'], messages }));
      expect([body.model, bench.calls]).toEqual(['test/trio', ['alpha']]);
    });
  });

  it('an unknown slug matches nothing, and the 404 names it with the nearest known', async () => {
    const { status, body } = await bench.ask(ask('test/trio', { provider: { only: ['alfa/turbo'] } }));
    expect([status, bench.calls]).toEqual([404, []]);
    expect(body.error.message).toMatch(
      /^provider\.only\.0: "alfa\/turbo" is no known provider and matches nothing, the nearest known: alpha\. /,
    );
    expect(body.error.metadata.unknown_providers).toEqual([
      { field: 'provider.only.0', name: 'alfa/turbo', nearest: ['alpha'] },
    ]);
    for (const list of ['order', 'ignore']) {
      expect((await bench.ask(ask('test/trio', { provider: { [list]: ['alfa'] } }))).status).toBe(200);
    }
  });

  describe('nothing left is a 404 with the reason, and no provider is called', () => {
    it.each<[string, object, string, string | undefined, string]>([
      ['only names strangers', ask('test/trio', { provider: { only: ['groq'] } }), 'constraint_filtered', 'allowed_providers', 'provider.only'],
      ['all are ignored', ask('test/trio', { provider: { ignore: ALL } }), 'constraint_filtered', 'allowed_providers', 'provider.ignore'],
      ['order of strangers, no fallbacks', ask('test/trio', { provider: { order: ['groq'], allow_fallbacks: false } }), 'constraint_filtered', 'allowed_providers', 'provider.order'],
      ['zdr', ask('test/alone', { provider: { zdr: true } }), 'privacy_restricted', 'data_policy:zdr', 'provider.zdr'],
      ['data_collection', ask('test/alone', { provider: { data_collection: 'deny' } }), 'privacy_restricted', 'data_policy:training', 'provider.data_collection'],
      ['distillable', ask('test/alone', { provider: { enforce_distillable_text: true } }), 'constraint_filtered', undefined, 'provider.enforce_distillable_text'],
      ['quantizations', ask('test/widths', { provider: { quantizations: ['fp32'] } }), 'constraint_filtered', 'quantization', 'provider.quantizations'],
      ['max_price', ask('test/trio', { provider: { max_price: { prompt: '0.4' } } }), 'constraint_filtered', 'max_price', 'provider.max_price'],
      ['require_parameters', ask('test/skills', { top_k: 3, provider: { require_parameters: true } }), 'constraint_filtered', 'require_parameters', 'provider.require_parameters'],
      ['a prompt too long for the providers that other filters leave: none', ask('test/alone', { provider: { zdr: true }, messages: [{ role: 'user', content: 'x'.repeat(1_300_000) }] }), 'privacy_restricted', 'data_policy:zdr', 'provider.zdr'],
      ['an image', ask('test/text-only', { messages: [{ role: 'user', content: [IMAGE] }] }), 'constraint_filtered', undefined, 'messages'],
    ])('%s', async (_, body, code, excludedBy, field) => {
      const outcome = await bench.ask(body);
      expect([outcome.status, bench.calls]).toEqual([404, []]);
      const { error } = outcome.body;
      expect(error).toMatchObject({ type: 'not_found_error', code: 404 });
      expect(error.availability).toMatchObject({ code, retryable: false, constraint: { field } });
      expect(error.availability.excluded_by?.[0]).toBe(excludedBy);
      expect(error.message).toMatch(/^No endpoint of test\/.+ is left: /);
    }); // oxfmt-ignore
  });

  describe('a request that is too long for every model is a 400 that names the excess, and no provider is called', () => {
    const long = { messages: [{ role: 'user', content: 'x'.repeat(1_300_000) }] };
    it.each<[string, string, boolean]>([
      ['/messages', 'whole', false],
      ['/messages', 'streamed', true],
      ['/chat/completions', 'whole', false],
      ['/chat/completions', 'streamed', true],
    ])('%s, %s', async (path, _, stream) => {
      const send = async (fields: object): Promise<JsonBody> => {
        const response = await bench.gateway.request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...ask('test/trio', fields), stream }),
        });
        const { error }: JsonBody = await response.json();
        expect([response.status, error.code, bench.calls]).toEqual([400, 400, []]);
        return [error.message, error.error_type ?? error.metadata.error_type];
      };
      expect(await send(long)).toEqual([
        expect.stringMatching(/^prompt is too long: 21666\d tokens > \d+ maximum$/),
        'context_length_exceeded',
      ]);
      const [message, type] = await send({ max_tokens: 900_000 });
      expect([message, type]).toEqual([
        expect.stringMatching(/^max_tokens: 900000 > \d+, the maximum number of output tokens$/),
        'max_tokens_exceeded',
      ]);
    });

    it('names the field of chat by its newer name where that was sent', async () => {
      const { max_tokens: _, ...rest } = ask('test/trio', { max_completion_tokens: 900_000 }) as {
        max_tokens?: number;
      };
      const response = await bench.gateway.request('/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rest),
      });
      const { error }: JsonBody = await response.json();
      expect([response.status, error.message]).toEqual([
        400,
        expect.stringMatching(/^max_completion_tokens: 900000 > /),
      ]);
    });
  });

  describe('senseless preferences are refused by name, and no provider is called', () => {
    it.each<[string, object, RegExp]>([
      ['an unknown key', { provider: { allow_fallback: true } }, /^provider\.allow_fallback/],
      ['an unknown key beside known ones', { provider: { order: ['alpha'], regions: ['eu'] } }, /^provider\.regions/],
      ['only and ignore that exclude each other', { provider: { only: ['beta'], ignore: ['alpha', 'beta'] } }, /^provider\.only: .*provider\.ignore/],
      ['an unknown sort', { provider: { sort: 'cheapest' } }, /^provider\.sort/],
      ['an unknown partition', { provider: { sort: { partition: 'all' } } }, /^provider\.sort/],
      ['an unknown quantization', { provider: { quantizations: ['int3'] } }, /^provider\.quantizations\.0/],
      ['a price that is none', { provider: { max_price: { prompt: 'cheap' } } }, /^provider\.max_price\.prompt/],
      ['a negative price', { provider: { max_price: { completion: -1 } } }, /^provider\.max_price\.completion/],
      ['an unknown collection policy', { provider: { data_collection: 'maybe' } }, /^provider\.data_collection/],
      ['zdr as a word', { provider: { zdr: 'yes' } }, /^provider\.zdr/],
      ['a list that is none', { provider: { order: 'alpha' } }, /^provider\.order/],
      ['an unknown route', { route: 'fastest' }, /^route/],
    ])('%s', async (_, more, message) => {
      const { status, body } = await bench.ask(ask('test/trio', more));
      expect([status, body.error.type, bench.calls]).toEqual([400, 'invalid_request_error', []]);
      expect(body.error.message).toMatch(message);
    }); // oxfmt-ignore
  });
});

describeOnEmbedded('preferences by what was measured', (database) => {
  const clock = new AheadClock();
  let bench: RoutingBench;

  const NAMES = ['quick', 'steady', 'trio'];
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      clock,
      providers: { alpha: {}, beta: {}, gamma: {} },
      models: [
        ...NAMES.map((name) => model(`test/${name}`, inTurn(['alpha', 'beta']))),
        model('test/three', inTurn(ALL)),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  const SAMPLES = 5;
  /** Figures may be as old as this. */
  const VIEW_MS = 1_000;

  /** Streams from both: one provider waits before its first content, or between two pieces. */
  async function measure(to: string, slug: string, { firstMs = 0, restMs = 0, tokens = 5 }): Promise<void> {
    const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const end = END.replace('"output_tokens":5', `"output_tokens":${tokens}`);
    bench.script(slug, () => sse([wait(firstMs), OPEN + delta('one'), wait(restMs), delta('two'), end]));
    const replies = Array.from({ length: SAMPLES }, () =>
      bench.ask(ask(to, { stream: true, max_tokens: 20_000, provider: { only: [slug] } })),
    );
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(replies.map(() => 200));
    bench.reset();
  }

  async function firstOf(to: string, provider: object): Promise<string | undefined> {
    return (await bench.callsOf(ask(to, { provider })))[0];
  }

  it('sorts by the time to the first token, and moves back providers slower than preferred', async () => {
    await measure('test/quick', 'alpha', { firstMs: 1_500 });
    await measure('test/quick', 'beta', {});
    clock.aheadMs += VIEW_MS;
    expect(await firstOf('test/quick', {})).toBe('alpha');
    expect(await firstOf('test/quick', { sort: 'latency' })).toBe('beta');
    expect(await firstOf('test/quick', { preferred_max_latency: 1 })).toBe('beta');
    expect(await firstOf('test/quick', { preferred_max_latency: { p90: 1 } })).toBe('beta');
    expect(await firstOf('test/quick', { preferred_max_latency: 60 })).toBe('alpha');
    expect(await firstOf('test/quick', { preferred_max_latency: { p50: null, p99: 60 } })).toBe('alpha');
    // The preference excludes no endpoint.
    bench.fails('beta', 500);
    expect(await bench.callsOf(ask('test/quick', { provider: { preferred_max_latency: 1 } }))).toEqual([
      'beta',
      'alpha',
    ]);
  });

  it('sorts by tokens per second, and moves back providers with fewer than preferred', async () => {
    await measure('test/steady', 'alpha', { restMs: 100, tokens: 10 });
    await measure('test/steady', 'beta', { restMs: 20, tokens: 10_000 });
    clock.aheadMs += VIEW_MS;
    expect(await firstOf('test/steady', {})).toBe('alpha');
    expect(await firstOf('test/steady', { sort: 'throughput' })).toBe('beta');
    expect(await firstOf('test/steady:nitro', {})).toBe('beta');
    expect(await firstOf('test/steady:floor', {})).toBe('alpha');
    expect(await firstOf('test/steady', { preferred_min_throughput: 1_000 })).toBe('beta');
    expect(await firstOf('test/steady', { preferred_min_throughput: 1 })).toBe('alpha');
  });

  it('leaves an endpoint in outage alone: A, then C', async () => {
    for (let time = 0; time < 3; time++) {
      const body = ask('test/three', { provider: { only: ['beta'] } });
      bench.answers('beta');
      await bench.ask(body);
      bench.fails('beta', 500);
      await bench.ask(body);
    }
    // It is left out during its pause; ordering.spec.ts tests that it is ordered behind afterwards.
    const { data } = await bench.explain(ask('test/three', { provider: { order: ['beta'] } }));
    expect(data.excluded).toMatchObject([{ provider: 'Beta', reason: 'cooling-down', cooling_by: 'faults' }]);
    for (const slug of ALL) bench.fails(slug, 503);
    expect(await bench.callsOf(ask('test/three'))).toEqual(['alpha', 'gamma']);
  });
});
