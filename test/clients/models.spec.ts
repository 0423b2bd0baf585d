/**
 * Checks that real, unmodified clients of the API read the catalogue, and that their validation accepts every reply.
 * Each method of the newest and the oldest SDK calls the real application with the shipped catalog, with either kind
 * of key, without retries.
 */
import Anthropic from '@anthropic-ai/sdk';
import type { OpenRouter } from '@openrouter/sdk';
import type { OpenRouter as OpenRouterV0 } from 'openrouter-sdk-0';
import { HealthRegistry } from '../../src/endpoint-health/health-registry.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { importNatively } from '../support/native-import.js';

/** A model as both clients show it. */
interface Shown {
  readonly id: string;
  readonly contextLength: number | null;
  readonly pricing: { readonly prompt: string; readonly inputCacheWrite1h?: string | undefined };
  readonly links: { readonly details: string };
}

interface Served {
  readonly tag: string;
  readonly modelId: string;
  readonly latencyLast30m: { readonly p50: number } | null;
  readonly uptimeLast5m: number | null;
}

interface Filters {
  readonly q?: string;
  readonly sort?: 'pricing-low-to-high';
  readonly offset?: number;
  readonly limit?: number;
}

/** The methods under test, in a form of neither client. */
interface Client {
  list(filters?: Filters): Promise<{ readonly total: number; readonly models: readonly Shown[] }>;
  listForUser(): Promise<readonly Shown[]>;
  count(): Promise<number>;
  get(author: string, slug: string): Promise<Shown>;
  endpoints(author: string, slug: string): Promise<readonly Served[]>;
  zdr(): Promise<readonly Served[]>;
  providers(): Promise<readonly string[]>;
}

const settings = (origin: string, apiKey: string) => ({
  apiKey,
  serverURL: `${origin}/api/v1`,
  retryConfig: { strategy: 'none' as const },
});

async function newest(origin: string, key: string): Promise<Client> {
  const { OpenRouter: Newest } = await importNatively<{ OpenRouter: typeof OpenRouter }>('@openrouter/sdk');
  const { models, endpoints, providers } = new Newest(settings(origin, key));
  return {
    list: async (filters = {}) => {
      const all: Shown[] = [];
      let total = 0;
      for await (const { result } of await models.list(filters)) {
        all.push(...result.data);
        total = result.totalCount;
      }
      return { total, models: all };
    },
    listForUser: async () => {
      const all: Shown[] = [];
      for await (const { result } of await models.listForUser({ bearer: key }, { limit: 7 })) all.push(...result.data);
      return all;
    },
    count: async () => (await models.count()).data.count,
    get: async (author, slug) => (await models.get({ author, slug })).data,
    endpoints: async (author, slug) => (await endpoints.list({ author, slug })).data.endpoints,
    zdr: async () => (await endpoints.listZdrEndpoints()).data,
    providers: async () => (await providers.list()).data.map(({ slug }) => slug),
  };
}

async function oldest(origin: string, key: string): Promise<Client> {
  const { OpenRouter: Oldest } = await importNatively<{ OpenRouter: typeof OpenRouterV0 }>('openrouter-sdk-0');
  const { models, endpoints, providers } = new Oldest(settings(origin, key));
  return {
    // This client knows no pages: it receives the whole list, with any parameters except filters.
    list: async ({ q, sort } = {}) => {
      const { data } = await models.list({ ...(q !== undefined && { q }), ...(sort && { sort }) });
      return { total: data.length, models: data };
    },
    listForUser: async () => (await models.listForUser({ bearer: key })).data,
    count: async () => (await models.count()).data.count,
    get: async (author, slug) => (await models.get({ author, slug })).data,
    endpoints: async (author, slug) => (await endpoints.list({ author, slug })).data.endpoints,
    zdr: async () => (await endpoints.listZdrEndpoints()).data,
    providers: async () => (await providers.list()).data.map(({ slug }) => slug),
  };
}

const CLIENTS = [
  { name: 'newest SDK', connect: newest },
  { name: 'oldest SDK', connect: oldest },
];
const KEYS = [
  { kind: 'inference', key: API_KEY },
  { kind: 'management', key: MANAGEMENT_KEY },
];

describeOnEmbedded('the catalogue in real clients', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
    const health = gateway.gateway.app.get(HealthRegistry, { strict: false });
    const figures = { secondsToFirstToken: 0.25, tokensPerSecond: 50 };
    for (let call = 0; call < 5; call++)
      health.succeeded({ model: 'sandbox/echo', tag: 'sandbox', credential: 'shared' }, figures);
  }, 240_000);
  afterAll(() => gateway?.close());

  describe.each(CLIENTS)('$name', ({ connect }) => {
    it.each(KEYS)('reads every reply, by a key of the kind $kind', async ({ key }) => {
      const client = await connect(gateway.origin, key);
      const { total, models } = await client.list();
      expect(models.length).toBe(total);
      expect(total).toBeGreaterThan(60);
      expect(await client.count()).toBe(total);
      expect(await client.listForUser()).toEqual(models);

      const [author, slug] = ['anthropic', 'claude-sonnet-4.5'];
      const model = await client.get(author, slug);
      expect(model).toMatchObject({
        id: `${author}/${slug}`,
        contextLength: 200_000,
        pricing: { prompt: '0.000003', inputCacheWrite1h: '0.000006' },
        links: { details: `/api/v1/models/${author}/${slug}/endpoints` },
      });
      expect(models).toContainEqual(model);
      expect((await client.get('sandbox', 'echo:free')).pricing.prompt).toBe('0');

      const [first] = await client.endpoints(author, slug);
      expect(first).toMatchObject({ tag: 'anthropic', uptimeLast5m: null });
      const [echo] = await client.endpoints('sandbox', 'echo');
      expect([echo!.uptimeLast5m, Math.round(echo!.latencyLast30m!.p50 / 50)]).toEqual([100, 5]);
      expect(await client.endpoints('sandbox', 'echo:thinking')).toEqual([]);
      expect((await client.zdr()).map(({ modelId }) => modelId)).toContain('sandbox/echo');
      expect(await client.providers()).toEqual(expect.arrayContaining(['anthropic', 'openai', 'sandbox']));
    });

    it('reads every endpoint of every model', async () => {
      const client = await connect(gateway.origin, API_KEY);
      for (const { id } of (await client.list()).models) {
        const [author, slug] = id.split('/') as [string, string];
        const served = await client.endpoints(author, slug);
        expect([id, served.length > 0, new Set(served.map(({ modelId }) => modelId))]).toEqual([
          id,
          true,
          new Set([id]),
        ]);
      }
    });

    it('filters and sorts', async () => {
      const { models } = await (
        await connect(gateway.origin, API_KEY)
      ).list({ q: 'claude', sort: 'pricing-low-to-high' });
      const prices = models.map(({ pricing }) => Number(pricing.prompt));
      expect(models.length).toBeGreaterThan(1);
      expect(models.filter(({ id }) => !id.includes('claude'))).toEqual([]);
      expect(prices[0]).toBe(Math.min(...prices));
    });

    it('gets its own kinds of error', async () => {
      const client = await connect(gateway.origin, API_KEY);
      for (const ask of [client.get('acme', 'nothing'), client.endpoints('acme', 'nothing')])
        await expect(ask).rejects.toMatchObject({
          name: 'NotFoundResponseError',
          statusCode: 404,
          error: { code: 404 },
        });
      const unknown = await connect(gateway.origin, 'nobody');
      await expect(unknown.listForUser()).rejects.toMatchObject({ name: 'UnauthorizedResponseError', statusCode: 401 });
    });
  });

  it('is walked by the Messages SDK in both directions, each model once', async () => {
    const { models } = new Anthropic({ apiKey: API_KEY, baseURL: `${gateway.origin}/api` });
    const idsOf = async (query: Anthropic.ModelListParams): Promise<string[]> => {
      const ids: string[] = [];
      for await (const { id } of models.list(query)) ids.push(id);
      return ids;
    };
    const whole = await idsOf({});
    for (const limit of [7, whole.length]) expect(await idsOf({ limit })).toEqual(whole);
    // Each page is in the order of the list; the pages come from the end to the start.
    const page = await models.list({ limit: 7, before_id: whole.at(-1)! });
    expect(page.data.map(({ id }) => id)).toEqual(whole.slice(-8, -1));
    expect([page.first_id, page.last_id, page.has_more]).toEqual([whole.at(-8), whole.at(-2), true]);
    const backwards = await idsOf({ limit: 7, before_id: whole.at(-1)! });
    expect([...backwards].sort()).toEqual(whole.slice(0, -1).sort());
    expect(new Set(backwards).size).toBe(backwards.length);
    expect(await idsOf({ after_id: whole.at(-3)! })).toEqual(whole.slice(-2));
  });

  it('is walked by the newest SDK page by page, each model once', async () => {
    const client = await newest(gateway.origin, API_KEY);
    const { models: whole, total } = await client.list();
    for (const limit of [1, 7, total, total + 1]) {
      const { models } = await client.list({ limit });
      expect(models.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    }
  });
});
