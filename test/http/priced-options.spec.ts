/**
 * Checks that values with a separate price are sent only where the catalog prices them, are reported as dropped
 * elsewhere, and are charged as the reply reports, at most as planned; and that fields of the Messages format bring
 * their betas (docs/use/choosing-providers.md#options-that-change-the-price). The scripted providers refuse a field
 * without its beta and report any value; what they received, the reply's fields and cost, the reported route and the
 * record are compared.
 */
import { API_KEY } from '../support/app.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { openaiReply } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json, type Answer } from '../support/upstream-answers.js';
import { at, ask, model, RoutingBench, type Outcome } from './routing-bench.js';

const WITH_METADATA = { headers: { 'x-router-metadata': 'enabled' } };
/** 1,000 tokens in and 100 out. */
const TOKENS = { input_tokens: 1_000, output_tokens: 100 };
const FAST = { prompt: '10', completion: '50' };

/** USD, of prices for a million tokens. */
const costAt = (prompt: number, completion: number): number => (1_000 * prompt + 100 * completion) / 1e6;

describeOnEmbedded('words with a price of their own', (database) => {
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      providers: { alpha: {}, beta: {}, openai: { kind: 'openai' } },
      models: [
        model('test/plain', [at('alpha', { pricing: { prompt: '2', completion: '4' } })]),
        model('test/listed', [
          at('alpha', { pricing: { prompt: '2', completion: '4' }, supported_parameters: ['max_tokens'] }),
        ]),
        model('test/fast', [
          at('alpha', { pricing: { prompt: '2', completion: '4', fast: FAST, geo: { us: '1.1' } } }),
          at('beta', { usd: 10_000 }),
        ]),
        model('test/tiers', [
          at('openai', {
            pricing: {
              prompt: '2',
              completion: '4',
              priority: { prompt: '4', completion: '8' },
              flex: { prompt: '1', completion: '2' },
            },
          }),
        ]),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  /** Calls a Messages provider that reports this beside its tokens. */
  async function askAlpha(body: object, reported: object = {}, headers: object = {}): Promise<Outcome> {
    bench.script('alpha', anthropicText('Hi.', { usage: { ...TOKENS, ...reported } }));
    return bench.ask(body, { headers: { ...WITH_METADATA.headers, ...headers } });
  }

  async function askOpenai(body: object, tier?: string): Promise<Outcome> {
    const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
    bench.script('openai', (request, index) => {
      const answer = openaiReply({ text: 'Hi.', usage })(request, index);
      return tier === undefined ? answer : inTier(answer, tier);
    });
    return bench.ask(body, WITH_METADATA);
  }

  /** In the terms of the Messages format: fast is a speed there, in whatever form it was requested. */
  const sentWith = (words: { speed?: string; service_tier?: string; inference_geo?: string }): object => ({
    speed: words.speed ?? words.service_tier,
    tier: undefined,
    geography: words.inference_geo,
  });
  const betasOf = (slug: string): unknown => bench.sent(slug).headers['anthropic-beta'];
  const attemptsOf = ({ body }: Outcome): JsonBody => body.router_metadata.attempts;

  describe('without a price', () => {
    it.each<[string, object, string]>([
      ['speed', { speed: 'fast' }, 'speed'],
      ['a tier', { service_tier: 'priority' }, 'service_tier'],
      ['an unknown tier', { service_tier: 'owl' }, 'service_tier'],
      ['a location', { inference_geo: 'us' }, 'inference_geo'],
    ])('%s is dropped and reported, and costs nothing more', async (_, words, field) => {
      const outcome = await askAlpha(ask('test/plain', words));
      expect([outcome.status, outcome.body.usage.cost]).toEqual([200, costAt(2, 4)]);
      expect(Object.keys(bench.sent('alpha').json)).not.toContain(field);
      expect(attemptsOf(outcome)).toEqual([{ provider: 'Alpha', model: 'test/plain', status: 200, dropped: [field] }]);
      const { data } = await bench.explain(ask('test/plain', words));
      expect(data.candidates.map(({ dropped }: JsonBody) => dropped)).toEqual([[field]]);
    });

    it('a beta that changes a price is dropped and reported, the others are sent', async () => {
      const headers = { 'anthropic-beta': 'files-api-2025-04-14, fast-mode-2026-02-01' };
      const outcome = await askAlpha(ask('test/plain'), {}, headers);
      expect(betasOf('alpha')).toBe('files-api-2025-04-14');
      expect(attemptsOf(outcome)).toMatchObject([{ dropped: ['fast-mode-2026-02-01'] }]);
      const { data } = await bench.explain(ask('test/plain'), { headers });
      expect(data.candidates[0].dropped).toEqual(['fast-mode-2026-02-01']);
    });

    it.each([{ speed: 'fast' }, { service_tier: 'flex' }, { inference_geo: 'eu' }])(
      '%j leaves out who would drop it where parameters are required',
      async (words) => {
        const body = ask('test/listed', { ...words, provider: { require_parameters: true } });
        const { status } = await bench.ask(body);
        expect([status, bench.calls]).toEqual([404, []]);
        const { data } = await bench.explain(body);
        const [field] = Object.keys(words);
        expect(data.excluded).toMatchObject([{ tag: 'alpha', reason: 'unsupported-parameter', detail: field }]);
      },
    );
  });

  describe('with a price', () => {
    it.each<[string, object, object, number, object]>([
      [
        'granted',
        { speed: 'fast' },
        { speed: 'fast', service_tier: 'standard' },
        costAt(10, 50),
        { speed: 'fast', service_tier: 'priority' },
      ],
      ['not granted', { speed: 'fast' }, { speed: 'standard' }, costAt(2, 4), { speed: 'standard' }],
      ['granted and not reported', { speed: 'fast' }, {}, costAt(10, 50), { speed: 'fast' }],
      ['granted without a request', {}, { speed: 'fast' }, costAt(2, 4), { speed: 'standard' }],
      ['requested as a tier', { service_tier: 'fast' }, { speed: 'fast' }, costAt(10, 50), { speed: 'fast' }],
      ['of a location', { inference_geo: 'us' }, { inference_geo: 'us' }, costAt(2.2, 4.4), { inference_geo: 'us' }],
      [
        'of another location',
        { inference_geo: 'us' },
        { inference_geo: 'global' },
        costAt(2, 4),
        { inference_geo: 'global' },
      ],
      ['of a region without a request', {}, { inference_geo: 'us' }, costAt(2, 4), { inference_geo: null }],
      [
        'of both',
        { inference_geo: 'us', speed: 'fast' },
        { inference_geo: 'us', speed: 'fast' },
        costAt(11, 55),
        { speed: 'fast', inference_geo: 'us' },
      ],
    ])('a speed %s is charged and reported as served', async (_, words, reported, cost, shown) => {
      for (const stream of [false, true]) {
        const outcome = await askAlpha(ask('test/fast', { ...words, stream }), reported);
        const usage = stream ? outcome.events.find(({ type }) => type === 'message_delta')!.usage : outcome.body.usage;
        expect(usage).toMatchObject({ ...shown, cost });
        const { speed, service_tier: tier, inference_geo: geography } = bench.sent('alpha').json;
        expect({ speed, tier, geography }).toEqual(sentWith(words));
      }
    });

    it('is recorded as it was charged, and what was granted beyond the plan is the operator’s', async () => {
      const ledger = new LedgerReader(bench.gateway);
      const pricedBy = async (words: object, reported: object): Promise<unknown> => {
        const { body } = await askAlpha(ask('test/fast', words), reported);
        await ledger.rest();
        const [version] = await ledger.query(
          'select pricing from price_versions join generations on price_version = price_versions.id where generations.id = $1',
          [body.id],
        );
        return version.pricing.prompt;
      };
      const us = { inference_geo: 'us' };
      expect(await pricedBy(us, us)).toBe('0.0000022');
      expect(await pricedBy(us, { inference_geo: 'global' })).toBe('0.000002');
      const recorded = async (words: object): Promise<unknown> => {
        const { body } = await askAlpha(ask('test/fast', words), { speed: 'fast' });
        await ledger.rest();
        const { service_tier: tier, operator_cost: lost } = await ledger.generation(body.id);
        return [tier, Number(lost)];
      };
      expect(await recorded({})).toEqual(['standard', costAt(8, 46)]);
      expect(await recorded({ speed: 'fast' })).toEqual(['fast', 0]);
    });

    it('sends a region only to endpoints that have a price for it', async () => {
      bench.fails('alpha', 529);
      expect(await bench.callsOf(ask('test/fast', { inference_geo: 'us' }))).toEqual(['alpha']);
      const { data } = await bench.explain(ask('test/fast', { inference_geo: 'us' }));
      expect(data.candidates).toMatchObject([
        { tag: 'alpha', geography: 'us', price: { prompt: '2.2', completion: '4.4' }, dropped: [] },
      ]);
    });

    it.each<[string, string | undefined, number, string | undefined]>([
      ['priority', 'priority', costAt(4, 8), 'priority'],
      ['priority', 'default', costAt(2, 4), 'standard'],
      ['priority', undefined, costAt(4, 8), 'priority'],
      ['flex', 'flex', costAt(1, 2), 'flex'],
      ['flex', 'default', costAt(1, 2), 'flex'],
      ['auto', 'priority', costAt(2, 4), 'standard'],
      ['auto', 'flex', costAt(1, 2), 'flex'],
    ])('a tier %s that was served as %s', async (service_tier, reported, cost, shown) => {
      const { body } = await askOpenai(ask('test/tiers', { service_tier }), reported);
      expect(bench.sent('openai').json.service_tier).toBe(service_tier);
      expect([body.usage.cost, body.usage.service_tier]).toEqual([cost, shown]);
      const response = await bench.gateway.request('/chat/completions', {
        method: 'POST',
        key: API_KEY,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/tiers', messages: [{ role: 'user', content: 'Hi' }], service_tier }),
      });
      const chat = (await response.json()) as JsonBody;
      expect([chat.usage.cost, chat.service_tier]).toEqual([cost, shown === 'standard' ? 'default' : shown]);
    });
  });

  describe('betas', () => {
    it.each<[object, string]>([
      [{ context_management: { edits: [] } }, 'context-management-2025-06-27'],
      [{ output_config: { task_budget: { type: 'tokens', total: 20_000 } } }, 'task-budgets-2026-03-13'],
      [{ speed: 'fast' }, 'fast-mode-2026-02-01'],
    ])('%j brings its own', async (fields, beta) => {
      const { status } = await askAlpha(ask('test/fast', fields));
      expect([status, betasOf('alpha')]).toEqual([200, beta]);
      await askAlpha(ask('test/fast', fields), {}, { 'anthropic-beta': `mine,${beta}` });
      expect(betasOf('alpha')).toBe(`mine,${beta}`);
    });
  });
});

/** The whole answer as its provider gives it in this tier. */
async function inTier(answer: Answer | Promise<Answer>, tier: string): Promise<Answer> {
  const [body] = [...((await answer).body as Iterable<string>)];
  return json({ ...(JSON.parse(body!) as object), service_tier: tier });
}
