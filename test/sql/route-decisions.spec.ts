/**
 * The decision of every routed request is stored, short and without content, and can be repeated from the stored row;
 * nothing else is stored, and nothing is lost when the process ends. The real application on both databases with
 * scripted providers; rows are read back, and plans are repeated from a row and the catalog alone.
 */
import { DataSource } from 'typeorm';
import { CatalogStore } from '../../src/catalog/catalog-store.js';
import { deriveInputs } from '../../src/core/routing/decision/decision-inputs.js';
import { planRoute } from '../../src/core/routing/plan-route.js';
import { DAY_MS } from '../../src/core/time.js';
import { DecisionLog } from '../../src/routing/decision-log.js';
import { ask, at, inTurn, model, RoutingBench, type Outcome } from '../http/routing-bench.js';
import { API_KEY } from '../support/app.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEachDatabase } from '../support/database.js';
import { RawClient } from '../support/raw-client.js';
import type { JsonBody } from '../support/recorded-request.js';
import { neverAnswers } from '../support/upstream-answers.js';

const ALL = ['alpha', 'beta', 'gamma'];
const WORDS = 'a-word-of-the-prompt';
const BYTES_MAX = 1_024;
const WITH_METADATA = { headers: { 'x-router-metadata': 'enabled' } };

interface Row {
  readonly generation_id: string;
  readonly held_at: Date | string;
  readonly account_id: string;
  readonly workspace_id: string;
  readonly decision: string;
}

describeOnEachDatabase('kept decisions', (database) => {
  const clock = new AheadClock();
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      clock,
      variables: { FAIRLEAD_RETENTION: 'generations=30d' },
      providers: {
        alpha: { policy: { zero_data_retention: true }, aborts: { whole: 'stops' } },
        beta: {},
        gamma: { kind: 'openai' },
      },
      models: [
        model(
          'test/equal',
          ALL.map((slug) => at(slug)),
        ),
        model('test/turns', inTurn(ALL, { pricing: { input_cache_read: '0.001' } })),
        model('test/cooled', inTurn(ALL)),
        model('test/shaky', inTurn(ALL)),
        model('test/next', [at('gamma', { usd: 0 })]),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  async function rows(): Promise<readonly Row[]> {
    const { app } = bench.gateway.gateway;
    await app.get(DecisionLog).flush();
    return app.get(DataSource).query('select * from route_decisions order by held_at, generation_id');
  }

  async function rowOf({ headers }: Outcome): Promise<Row> {
    const id = headers.get('x-generation-id');
    const found = (await rows()).filter(({ generation_id }) => generation_id === id);
    expect(found).toHaveLength(1);
    return found[0]!;
  }

  /** The repeated plan, as the metadata lists it: the possible candidates, in order. */
  function planAgain({ decision }: Row): readonly object[] {
    const inputs = deriveInputs(decision, bench.gateway.gateway.app.get(CatalogStore).current);
    return planRoute(inputs!)!.legs.map(({ model: { id }, endpoint }) => ({
      provider: endpoint.provider.name,
      model: id,
    }));
  }

  const plannedBy = ({ body, events }: Outcome): readonly object[] => {
    const { endpoints } = (events.at(-1) ?? body).router_metadata;
    return endpoints.available.map(({ provider, model: id }: JsonBody) => ({ provider, model: id }));
  };

  const question = (to: string, more: object = {}): object =>
    ask(to, { messages: [{ role: 'user', content: WORDS }], ...more });

  const REQUESTS: readonly (readonly [string, object])[] = [
    ['a draw', question('test/equal')],
    ['a stream', question('test/equal', { stream: true })],
    ['a session', question('test/equal', { session_id: 'the-session' })],
    ['an order', question('test/equal', { provider: { order: ['gamma', 'alpha'] } })],
    [
      'limits',
      question('test/equal', { provider: { ignore: ['beta'], max_price: { prompt: 5 }, data_collection: 'allow' } }),
    ],
    ['a policy', question('test/equal', { provider: { zdr: true } })],
    ['a sort', question('test/turns:floor')],
    ['one attempt', question('test/equal', { provider: { allow_fallbacks: false } })],
    ['several models', question('test/equal', { models: ['test/turns:nitro', 'test/next'] })],
    ['fallbacks', question('test/equal', { fallbacks: [{ model: 'test/next' }] })],
    [
      'models sorted together',
      question('test/turns', { models: ['test/next'], provider: { sort: { by: 'price', partition: 'none' } } }),
    ],
    [
      'the request’s preferences',
      question('test/equal', {
        max_tokens: 10,
        temperature: 0.2,
        tools: [{ name: 't', input_schema: { type: 'object' } }],
      }),
    ],
    [
      'a great many providers',
      question('test/equal', { provider: { ignore: ['openai', 'groq', 'azure', 'beta'], order: ['xai', 'gamma'] } }),
    ],
  ];

  it.each(REQUESTS)('is enough to repeat the plan: %s', async (_, body) => {
    const outcome = await bench.ask(body, WITH_METADATA);
    expect(outcome.status).toBe(200);
    const row = await rowOf(outcome);
    expect(planAgain(row)).toEqual(plannedBy(outcome));
    expect(Buffer.byteLength(row.decision)).toBeLessThanOrEqual(BYTES_MAX);
    expect(row.decision).not.toMatch(new RegExp(`${WORDS}|the-session|${API_KEY}|credential-of|127\\.0\\.0\\.1`));
    expect(JSON.parse(row.decision).calls).toHaveLength(1);
  });

  it('contains the time and the owner', async () => {
    const before = clock.now();
    const row = await rowOf(await bench.ask(question('test/equal')));
    const at = new Date(row.held_at).getTime();
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(clock.now());
    const [account] = await bench.gateway.gateway.app.get(DataSource).query('select id from accounts');
    expect(row.account_id).toBe(account.id);
    expect(row.workspace_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([false, true])('contains the calls that were made, also where all failed (stream %s)', async (stream) => {
    bench.fails('alpha', 400);
    const outcome = await bench.ask(question('test/turns', { stream }), WITH_METADATA);
    expect(outcome.status).toBe(400);
    const row = await rowOf(outcome);
    expect(JSON.parse(row.decision)).toMatchObject({ legs: ALL, calls: [['alpha', 400]] });
    expect(planAgain(row)).toEqual(plannedBy(outcome));
  });

  it('contains what was known of the endpoints then, whatever is known now', async () => {
    bench.fails('alpha', 429, { 'retry-after': '20' });
    const first = await bench.ask(question('test/cooled'), WITH_METADATA);
    const during = await bench.ask(question('test/cooled'), WITH_METADATA);
    bench.answers('alpha');
    clock.aheadMs += 21_000;
    const after = await bench.ask(question('test/cooled'), WITH_METADATA);
    const kept = [await rowOf(first), await rowOf(during), await rowOf(after)];
    expect(kept.map(({ decision }) => JSON.parse(decision).calls)).toEqual([
      [['alpha', 429], ['beta', 200]],
      [['beta', 200]],
      [['alpha', 200]],
    ]); // oxfmt-ignore
    expect(kept.map(planAgain)).toEqual([first, during, after].map(plannedBy));
  });

  it('contains an outage', async () => {
    const alone = question('test/shaky', { provider: { only: ['alpha'] } });
    for (let time = 0; time < 3; time++) {
      bench.answers('alpha');
      await bench.ask(alone);
      bench.fails('alpha', 500);
      await bench.ask(alone);
    }
    const outcome = await bench.ask(question('test/shaky'), WITH_METADATA);
    expect(outcome.body.provider).toBe('Beta');
    expect(planAgain(await rowOf(outcome))).toEqual(plannedBy(outcome));
    // It pauses meanwhile.
    expect(plannedBy(outcome)).not.toContainEqual(expect.objectContaining({ provider: 'Alpha' }));
  });

  it('contains a pin', async () => {
    bench.script('beta', anthropicText('Cached.', { usage: { cache_read_input_tokens: 900 } }));
    const body = question('test/turns', { system: 'A conversation of its own.' });
    await bench.ask({ ...body, provider: { only: ['beta'] } });
    const outcome = await bench.ask(body, WITH_METADATA);
    expect(outcome.body.provider).toBe('Beta');
    expect(planAgain(await rowOf(outcome))).toEqual(plannedBy(outcome));
  });

  it('yields the same explanation again, by its seed', async () => {
    const outcome = await bench.ask(question('test/equal'), WITH_METADATA);
    const { seed, catalog } = JSON.parse((await rowOf(outcome)).decision);
    const { data } = await bench.explain(question('test/equal'), { query: `?seed=${seed}` });
    expect(data.candidates.map(({ provider_name }: JsonBody) => provider_name)).toEqual(
      plannedBy(outcome).map((leg) => (leg as JsonBody).provider),
    );
    expect(data.catalog_hash.startsWith(catalog)).toBe(true);
  });

  it('is stored where no candidate was left', async () => {
    const outcome = await bench.ask(question('test/equal', { provider: { only: ['groq'] } }));
    expect(outcome.status).toBe(404);
    const row = await rowOf(outcome);
    expect(JSON.parse(row.decision)).not.toHaveProperty('calls');
    expect(planAgain(row)).toEqual([]);
  });

  it('is stored for a caller that left', async () => {
    bench.script('alpha', neverAnswers());
    const before = (await rows()).length;
    const arrival = bench.upstream('alpha').request();
    const client = await RawClient.connect(bench.gateway.origin);
    client.send({
      path: '/api/v1/messages',
      headers: [['authorization', `Bearer ${API_KEY}`], ['content-type', 'application/json']],
      body: JSON.stringify(question('test/turns')),
    }); // oxfmt-ignore
    const record = await arrival;
    client.destroy();
    await record.closed;
    let kept = await rows();
    while (kept.length === before) kept = await rows();
    expect(JSON.parse(kept.at(-1)!.decision)).toMatchObject({ requested: 'test/turns', legs: ALL });
  });

  it('is not stored for a request that was not routed', async () => {
    const before = (await rows()).length;
    await bench.explain(question('test/equal'));
    await bench.ask(question('test/unheard-of'));
    await bench.ask({ model: 'test/equal' });
    await bench.ask(question('test/equal'), { key: 'sk-nobody-knows-this-key' });
    expect(await rows()).toHaveLength(before);
  });

  it('is not lost when the process ends at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => bench.ask(question('test/equal'))));
    await bench.restart();
    const kept = new Set((await rows()).map(({ generation_id }) => generation_id));
    for (const { headers } of outcomes) expect(kept).toContain(headers.get('x-generation-id'));
  });

  it('is deleted after its retention, with those of consulted models', async () => {
    const consulting = question('test/equal', {
      plugins: [{ id: 'fusion', analysis_models: ['test/next'], model: 'test/equal', tools: [] }],
    });
    const old = await rowOf(await bench.ask(consulting));
    clock.aheadMs += 31 * DAY_MS;
    const young = await rowOf(await bench.ask(consulting));
    let kept = await rows();
    const startedAt = performance.now();
    while (
      kept.some(({ generation_id }) => generation_id === old.generation_id) &&
      performance.now() - startedAt < 20_000
    ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      kept = await rows();
    }
    expect(kept.map(({ generation_id }) => generation_id)).toEqual([young.generation_id]);
    const { app } = bench.gateway.gateway;
    const others: readonly Row[] = await app.get(DataSource).query('select * from consulted_decisions');
    expect(others.map(({ generation_id }) => generation_id)).toEqual(Array(2).fill(young.generation_id));
    for (const { decision } of others) expect(decision).not.toContain(WORDS);
  });
});
