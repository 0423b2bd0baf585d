/**
 * Checks that `/providers` reports the health of each provider, by the calls that were made, without the results of
 * callers' own credentials and without any text of a provider or caller (docs/use/models.md#a-provider), and that it
 * stays cheap with a large catalog. The application runs before scripted upstreams on a clock that stands still; its
 * figures are read over HTTP.
 */
import { HealthRegistry } from '../../src/endpoint-health/health-registry.js';
import { ProviderHealths } from '../../src/models/provider-healths.js';
import { StandingClock } from '../support/ahead-clock.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { fastest, stopwatch } from '../support/cpu-time.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json, resets } from '../support/upstream-answers.js';
import { ask, at, model, RoutingBench } from './routing-bench.js';

const NOTHING = { operational: 0, rate_limited: 0, failing: 0 };

describeOnEmbedded('the health of providers', (database) => {
  const clock = new StandingClock();
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      clock,
      providers: { alpha: {}, beta: { kind: 'openai' }, gamma: {}, delta: {} },
      models: [
        model('test/one', [at('alpha')]),
        model('test/two', [at('alpha/eu')]),
        model('test/three', [at('beta')]),
        model('test/four', [at('gamma')]),
        model('test/five', [at('delta')]),
      ],
    });
  }, 240_000);
  // Earlier observations expire before each next test.
  beforeEach(() => {
    clock.aheadMs += 86_400_000;
    bench.reset();
  });
  afterAll(() => bench.close());

  async function provider(slug: string, key?: string): Promise<JsonBody> {
    const response = await bench.gateway.request('/providers', key === undefined ? {} : { key });
    const { data } = (await response.json()) as JsonBody;
    return data.find((row: JsonBody) => row.slug === slug);
  }

  const call = (to: string, more: object = {}): Promise<unknown> => bench.ask(ask(to, more));

  it('is unknown before any call', async () => {
    expect(await provider('alpha')).toMatchObject({
      status: 'unknown',
      endpoints: { ...NOTHING, unknown: 2 },
      uptime_last_30m: null,
      latency_last_30m: null,
      throughput_last_30m: null,
      last_fault: null,
    });
  });

  it('is reported from the calls to all its endpoints, to either kind of key', async () => {
    for (let index = 0; index < 6; index++) await call(index % 2 === 0 ? 'test/one' : 'test/two', { stream: true });
    const shown = await provider('alpha');
    expect(shown).toMatchObject({
      status: 'operational',
      endpoints: { ...NOTHING, operational: 2, unknown: 0 },
      uptime_last_30m: 100,
      last_fault: null,
    });
    const { p50, p99 } = shown.latency_last_30m;
    expect([p50 > 0, p99 >= p50]).toEqual([true, true]);
    expect(await provider('alpha', MANAGEMENT_KEY)).toEqual(shown);
    expect((await provider('beta')).status).toBe('unknown');
  });

  it('is degraded while some endpoints fail, and down while all do that were called', async () => {
    bench.fails('alpha', 500);
    for (let index = 0; index < 4; index++) await call('test/one');
    const last = { at: new Date(clock.now()).toISOString(), kind: 'server-error', status: 500, model: 'test/one' };
    expect(await provider('alpha')).toMatchObject({
      status: 'down',
      endpoints: { ...NOTHING, failing: 1, unknown: 1 },
      uptime_last_30m: 0,
      last_fault: last,
    });
    bench.answers('alpha');
    await call('test/two');
    expect(await provider('alpha')).toMatchObject({
      status: 'degraded',
      endpoints: { ...NOTHING, failing: 1, operational: 1, unknown: 0 },
      last_fault: last,
    });
    clock.aheadMs += 300_000;
    await call('test/one');
    expect(await provider('alpha')).toMatchObject({ status: 'operational', last_fault: last });
  });

  it('is not operational after nine failures in a row, however many calls were answered before', async () => {
    for (let index = 0; index < 20; index++) await call('test/one');
    bench.fails('alpha', 500);
    for (let index = 0; index < 9; index++) await call('test/one');
    expect(await provider('alpha')).toMatchObject({
      status: 'down',
      endpoints: { failing: 1 },
      uptime_last_30m: 68.97,
    });
    // Too old for the calls of five minutes, and still the last known one.
    clock.aheadMs += 600_000;
    expect(await provider('alpha')).toMatchObject({ status: 'down', endpoints: { failing: 1 } });
  });

  it('is not operational after failures in a row at an endpoint each', async () => {
    for (const to of ['test/one', 'test/two']) await call(to);
    bench.fails('alpha', 500);
    for (let index = 0; index < 6; index++) {
      // Far enough apart that none of them fails mostly.
      clock.aheadMs += 200_000;
      await call(index % 2 === 0 ? 'test/one' : 'test/two');
    }
    expect(await provider('alpha')).toMatchObject({ status: 'degraded', endpoints: { operational: 2, failing: 0 } });
  });

  it.each<[string, () => void, object]>([
    ['too many calls', () => bench.fails('alpha', 429), { kind: 'rate-limited', status: 429 }],
    ['a credential that is refused', () => bench.fails('alpha', 401), { kind: 'refused-credential', status: 401 }],
    ['no answer', () => bench.script('alpha', resets()), { kind: 'unreachable' }],
  ])('reports %s, without text of the provider', async (_, fail, fault) => {
    fail();
    await call('test/two');
    const shown = await provider('alpha');
    expect(shown.last_fault).toEqual({ at: new Date(clock.now()).toISOString(), ...fault, model: 'test/two' });
    expect(JSON.stringify(shown)).not.toMatch(/Refused by|code_of|credential-of/);
  });

  it('is degraded, and its figures are untouched, while it refuses too many calls', async () => {
    bench.fails('beta', 429);
    await call('test/three');
    expect(await provider('beta')).toMatchObject({
      status: 'degraded',
      endpoints: { ...NOTHING, rate_limited: 1, unknown: 0 },
      uptime_last_30m: null,
    });
  });

  it.each([400, 403, 413])('does not count a request that is refused with %d', async (status) => {
    bench.fails('delta', status);
    await call('test/five');
    expect(await provider('delta')).toMatchObject({ status: 'unknown', uptime_last_30m: null, last_fault: null });
  });

  it("does not count the results of a caller's own credential", async () => {
    const made = await bench.gateway.request('/byok', {
      method: 'POST',
      key: MANAGEMENT_KEY,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ provider: 'gamma', key: 'sk-somebody-0123456789' }),
    });
    expect(made.status).toBe(201);
    bench.script('gamma', (request, index) =>
      request.headers['x-api-key'] === 'credential-of-gamma'
        ? anthropicText('Hi')(request, index)
        : json(anthropicError('authentication_error', 'no'), 401),
    );
    await call('test/four');
    expect(bench.calls).toEqual(['gamma', 'gamma']);
    expect(await provider('gamma')).toMatchObject({
      status: 'operational',
      endpoints: { ...NOTHING, operational: 1, unknown: 0 },
      uptime_last_30m: 100,
      last_fault: null,
    });
  });
});

describeOnEmbedded('the health of the providers of a large catalog', (database) => {
  const PROVIDERS = 100;
  const ENDPOINTS = 2_000;
  const CALLS = 25;
  /**
   * Time for all providers together, each endpoint with a fault of the last 30 s; other work may run at the same time
   * here.
   */
  const MS_MAX = 15;
  let gateway: TestGateway;
  beforeAll(async () => {
    const slugs = Array.from({ length: PROVIDERS }, (_, index) => `provider-${index}`);
    const each = ENDPOINTS / PROVIDERS;
    gateway = await startGateway(database, {
      catalog: {
        version: 1,
        providers: slugs.map((slug) => ({ slug, name: slug, dialect: 'simulated' })),
        models: Array.from({ length: each }, (_, index) =>
          model(
            `test/model-${index}`,
            slugs.map((slug) => at(slug)),
          ),
        ),
      },
    });
  }, 240_000);
  afterAll(() => gateway?.close());

  it(`is returned in a few milliseconds, where each of ${ENDPOINTS} endpoints has figures and faults`, async () => {
    const health = gateway.gateway.app.get(HealthRegistry, { strict: false });
    const healths = gateway.gateway.app.get(ProviderHealths, { strict: false });
    const { data } = (await (await gateway.request('/providers')).json()) as JsonBody;
    for (const { slug } of data) {
      for (let index = 0; index < ENDPOINTS / PROVIDERS; index++) {
        const key = { model: `test/model-${index}`, tag: slug, credential: 'shared' };
        for (let call = 0; call < 5; call++) health.succeeded(key, { secondsToFirstToken: 1, tokensPerSecond: 50 });
        health.failed(key, { by: 'fault', fault: { kind: 'server-error', status: 500 } });
      }
    }
    const read = async (): Promise<number> => {
      let best = Infinity;
      for (let call = 0; call < CALLS; call++) {
        const elapsed = stopwatch();
        let operational = 0;
        for (const { slug } of data) operational += healths.of(slug).endpoints.operational;
        best = Math.min(best, elapsed());
        expect(operational).toBe(ENDPOINTS);
      }
      return best;
    };
    const took = await fastest(read, MS_MAX);
    process.stdout.write(`health of ${PROVIDERS} providers, ${ENDPOINTS} endpoints: ${took.toFixed(2)} ms\n`);
    expect(took).toBeLessThan(MS_MAX);
  });
});
