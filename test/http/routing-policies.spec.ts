/**
 * Checks that routing follows the policies of the account and the workspace from the next request on: a provider they
 * do not allow receives no call, and a request can narrow them further but never widen them. Scripted providers
 * record the calls; prices are so far apart that the draw keeps their order.
 */
import { DataSource } from 'typeorm';
import { API_KEY } from '../support/app.js';
import { describeOnEmbedded, describeOnPostgres } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { ask, at, inTurn, model, RoutingBench, type RoutingOptions } from './routing-bench.js';

const ALL = ['alpha', 'beta', 'gamma'];
const OPTIONS: RoutingOptions = {
  coolsDown: false,
  providers: {
    alpha: { policy: { collects_data: true, zero_data_retention: false } },
    beta: { policy: { collects_data: false, zero_data_retention: false } },
    gamma: { policy: { collects_data: false, zero_data_retention: true } },
  },
  models: [
    model('test/trio', inTurn(ALL)),
    model('test/close', [at('alpha', { usd: 1.000002 }), at('beta', { usd: 1 })]),
  ],
};
const FREE = {
  allowed_providers: null,
  ignored_providers: null,
  data_collection: 'allow',
  enforce_zdr: false,
};

describeOnEmbedded('routing policies', (database) => {
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, OPTIONS);
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => {
    bench.reset();
    // All are called, in turn, except the last one, which answers.
    for (const slug of ['alpha', 'beta']) bench.fails(slug, 503);
  });
  afterEach(async () => {
    await setAccount(FREE);
    await setWorkspace({ ...FREE, default_provider_sort: null });
  });

  const setAccount = (body: object): Promise<JsonBody> => bench.gateway.manage('PATCH', '/account/preferences', body);
  const setWorkspace = (body: object, reference = 'default'): Promise<JsonBody> =>
    bench.gateway.manage('PATCH', `/workspaces/${reference}`, body);

  const callsOf = (provider: object = {}, key = API_KEY): Promise<readonly string[]> =>
    bench.callsOf(ask('test/trio', { provider }), { key });

  it.each([
    ['nothing', {}, ALL],
    ['ignored providers', { ignored_providers: ['alpha'] }, ['beta', 'gamma']],
    ['ignored providers, by name', { ignored_providers: ['Beta', 'openai'] }, ['alpha', 'gamma']],
    ['allowed providers', { allowed_providers: ['gamma', 'alpha'] }, ['alpha', 'gamma']],
    ['both', { allowed_providers: ['gamma', 'alpha'], ignored_providers: ['alpha'] }, ['gamma']],
    ['data collection', { data_collection: 'deny' }, ['beta', 'gamma']],
    ['zero data retention', { enforce_zdr: true }, ['gamma']],
  ])('of %s hold for the account as for the workspace', async (_, policy, allowed) => {
    for (const set of [setAccount, setWorkspace]) {
      await set(policy);
      expect(await callsOf()).toEqual(allowed);
      await set(FREE);
      expect(await callsOf()).toEqual(ALL);
    }
  });

  it('of account and workspace narrow each other', async () => {
    await setAccount({ allowed_providers: ['alpha', 'gamma'] });
    await setWorkspace({ allowed_providers: ['beta', 'gamma'] });
    expect(await callsOf()).toEqual(['gamma']);
    await setWorkspace({ allowed_providers: null, data_collection: 'deny' });
    expect(await callsOf()).toEqual(['gamma']);
    await setAccount({ allowed_providers: null });
    expect(await callsOf()).toEqual(['beta', 'gamma']);
  });

  it.each([
    ['only', { only: ['alpha', 'beta'] }, ['beta']],
    ['order', { order: ['alpha', 'gamma'] }, ['gamma', 'beta']],
    ['ignore', { ignore: ['gamma'] }, ['beta']],
    ['data_collection', { data_collection: 'allow' }, ['beta', 'gamma']],
    ['zdr', { zdr: true }, ['gamma']],
    ['zdr false', { zdr: false }, ['beta', 'gamma']],
  ])('are narrowed by a request, never widened: %s', async (_, provider, allowed) => {
    bench.fails('gamma', 503);
    await setAccount({ ignored_providers: ['alpha'] });
    await setWorkspace({ data_collection: 'deny' });
    expect(await callsOf(provider)).toEqual(allowed);
  });

  it('that leave no provider refuse without a call', async () => {
    await setWorkspace({ allowed_providers: ['openai'] });
    const { status, body } = await bench.ask(ask('test/trio'));
    expect([status, body.type]).toEqual([404, 'error']);
    await setWorkspace({ allowed_providers: ['alpha'] });
    expect((await bench.ask(ask('test/trio', { provider: { only: ['beta'] } }))).status).toBe(404);
    expect(bench.calls).toEqual([]);
  });

  it('of one workspace are not those of another', async () => {
    const slug = `apart-${Date.now()}`;
    const { data } = await bench.gateway.manage('POST', '/workspaces', {
      name: 'n',
      slug,
      ignored_providers: ['alpha'],
    });
    const { key } = await bench.gateway.manage('POST', '/keys', { name: 'n', workspace_id: data.id });
    expect(await callsOf({}, key)).toEqual(['beta', 'gamma']);
    expect(await callsOf()).toEqual(ALL);
    await setAccount({ ignored_providers: ['beta'] });
    expect(await callsOf({}, key)).toEqual(['gamma']);
    expect(await callsOf()).toEqual(['alpha', 'gamma']);
  });

  it('order providers where the request does not', async () => {
    bench.reset();
    const first = async (seed: string, provider: object = {}): Promise<string> => {
      const { data } = await bench.explain(ask('test/close', { provider }), { query: `?seed=${seed}` });
      return data.candidates[0].tag;
    };
    const seeds = Array.from({ length: 64 }, (_, index) => index.toString(16).padStart(16, '0'));
    let seed: string | undefined;
    // Drawn by price, they take turns.
    for (const candidate of seeds) if ((await first(candidate)) === 'alpha') seed ??= candidate;
    expect(seed).toBeDefined();
    await setWorkspace({ default_provider_sort: 'price' });
    expect(await first(seed!)).toBe('beta');
    expect(await bench.callsOf(ask('test/close'))).toEqual(['beta']);
    expect(await first(seed!, { order: ['alpha'] })).toBe('alpha');
    expect(await bench.callsOf(ask('test/close', { provider: { order: ['alpha'] } }))).toEqual(['alpha']);
    await setWorkspace({ default_provider_sort: null });
    expect(await first(seed!)).toBe('alpha');
  });

  it('that cannot be read refuse: nothing is sent that might not be allowed', async () => {
    await setWorkspace({ ignored_providers: ['alpha'] });
    const statement = 'alter table accounts rename column ignored_providers to renamed';
    await bench.gateway.gateway.app.get(DataSource).query(statement);
    try {
      const { status, headers, body } = await bench.ask(ask('test/trio'));
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(body.error.message).toContain('The routing policy of the workspace cannot be checked');
      expect(bench.calls).toEqual([]);
    } finally {
      await bench.gateway.gateway.app
        .get(DataSource)
        .query('alter table accounts rename column renamed to ignored_providers');
    }
  });
});

describeOnPostgres('routing policies of replicas', (database) => {
  it('are in force at all of them within five seconds', async () => {
    const bench = await RoutingBench.start(database, OPTIONS);
    try {
      const other = await bench.addGateway();
      const body = ask('test/trio');
      expect(await bench.callsOf(body, { gateway: other })).toEqual(['alpha']);
      await bench.gateway.manage('PATCH', '/account/preferences', { ignored_providers: ['alpha'] });
      const changedAt = performance.now();
      while ((await bench.callsOf(body, { gateway: other }))[0] === 'alpha')
        await new Promise((resolve) => setTimeout(resolve, 100));
      expect(performance.now() - changedAt).toBeLessThan(5_000);
      expect(await bench.callsOf(body, { gateway: other })).toEqual(['beta']);
    } finally {
      await bench.close();
    }
  }, 240_000);
});
