/**
 * Checks that real, unmodified clients of the API manage provider credentials, and that no value of their own
 * enumeration is refused. The newest and the oldest SDK call the real application through their own methods, without
 * retries.
 */
import type { OpenRouter } from '@openrouter/sdk';
import type { BYOKProviderSlug } from '@openrouter/sdk/models';
import type { OpenRouter as OpenRouterV0 } from 'openrouter-sdk-0';
import type { BYOKProviderSlug as BYOKProviderSlugV0 } from 'openrouter-sdk-0/models';
import { PUBLISHED_SLUGS } from '../../src/core/routing/published-slugs.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { importNatively } from '../support/native-import.js';

/** A credential as both clients show it. */
interface Shown {
  readonly id: string;
  readonly provider: string;
  readonly label: string;
  readonly name?: string | null | undefined;
  readonly disabled: boolean;
  readonly allowedModels: readonly string[] | null;
  readonly sortOrder: number;
}

interface Changes {
  readonly name?: string | null;
  readonly key?: string;
  readonly disabled?: boolean;
  readonly allowedModels?: string[] | null;
}

/** The methods under test, in a form of neither client. */
interface Client {
  create(provider: string, changes: Changes & { readonly key: string }): Promise<Shown>;
  list(provider: string): Promise<Shown[]>;
  get(id: string): Promise<Shown>;
  update(id: string, changes: Changes): Promise<Shown>;
  remove(id: string): Promise<boolean>;
}

const settings = (origin: string, apiKey: string) => ({
  apiKey,
  serverURL: `${origin}/api/v1`,
  retryConfig: { strategy: 'none' as const },
});

async function newest(origin: string, key: string): Promise<Client> {
  const { OpenRouter: Newest } = await importNatively<{ OpenRouter: typeof OpenRouter }>('@openrouter/sdk');
  const { byok } = new Newest(settings(origin, key));
  return {
    create: async (provider, changes) =>
      (await byok.create({ createBYOKKeyRequest: { provider: provider as BYOKProviderSlug, ...changes } })).data,
    list: async (provider) => {
      const shown: Shown[] = [];
      for await (const page of await byok.list({ provider: provider as BYOKProviderSlug, limit: 2 }))
        shown.push(...page.result.data);
      return shown;
    },
    get: async (id) => (await byok.get({ id })).data,
    update: async (id, changes) => (await byok.update({ id, updateBYOKKeyRequest: changes })).data,
    remove: async (id) => (await byok.delete({ id })).deleted,
  };
}

async function oldest(origin: string, key: string): Promise<Client> {
  const { OpenRouter: Oldest } = await importNatively<{ OpenRouter: typeof OpenRouterV0 }>('openrouter-sdk-0');
  const { byok } = new Oldest(settings(origin, key));
  return {
    create: async (provider, changes) =>
      (await byok.create({ createBYOKKeyRequest: { provider: provider as BYOKProviderSlugV0, ...changes } })).data,
    list: async (provider) => {
      const shown: Shown[] = [];
      for await (const page of await byok.list({ provider: provider as BYOKProviderSlugV0, limit: 2 }))
        shown.push(...page.result.data);
      return shown;
    },
    get: async (id) => (await byok.get({ id })).data,
    update: async (id, changes) => (await byok.update({ id, updateBYOKKeyRequest: changes })).data,
    remove: async (id) => (await byok.delete({ id })).deleted,
  };
}

/** The values of its enumeration. */
async function slugsOf(sdk: string): Promise<string[]> {
  const { BYOKProviderSlug: slugs } = await importNatively<{ BYOKProviderSlug: Readonly<Record<string, string>> }>(
    `${sdk}/models`,
  );
  return Object.values(slugs);
}

const CLIENTS = [
  { name: 'newest SDK', connect: newest, sdk: '@openrouter/sdk', provider: 'voyageai' },
  { name: 'oldest SDK', connect: oldest, sdk: 'openrouter-sdk-0', provider: 'ncompass' },
];

describeOnEmbedded('provider credentials in real clients', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  describe.each(CLIENTS)('$name', ({ connect, sdk, provider }) => {
    it('creates, lists, shows, changes, rotates and deletes', async () => {
      const client = await connect(gateway.origin, MANAGEMENT_KEY);
      const made: Shown[] = [];
      for (const name of ['first', 'second', 'third'])
        made.unshift(await client.create(provider, { key: 'sk-0123456789012345AbCd', name, allowedModels: ['a/b'] }));
      expect(made.map(({ name, label, sortOrder }) => [name, label, sortOrder])).toEqual([
        ['third', 'sk-...AbCd', 2],
        ['second', 'sk-...AbCd', 1],
        ['first', 'sk-...AbCd', 0],
      ]);
      expect(await client.list(provider)).toEqual(made);

      const [{ id }] = made as [Shown];
      expect(await client.get(id)).toEqual(made[0]);
      expect(await client.update(id, { disabled: true, allowedModels: null })).toEqual({
        ...made[0],
        disabled: true,
        allowedModels: null,
      });
      expect((await client.update(id, { key: 'sk-0123456789012345WxYz' })).label).toBe('sk-...WxYz');

      expect(await client.remove(id)).toBe(true);
      await expect(client.get(id)).rejects.toMatchObject({ name: 'NotFoundResponseError', statusCode: 404 });
      expect(await client.list(provider)).toEqual(made.slice(1));
    });

    it('gets its own kinds of error', async () => {
      const client = await connect(gateway.origin, MANAGEMENT_KEY);
      await expect(client.create('openai', { key: '' })).rejects.toMatchObject({
        name: 'BadRequestResponseError',
        statusCode: 400,
        error: { code: 400, message: 'key: must be at least 1 character' },
      });
      const inferring = await connect(gateway.origin, API_KEY);
      await expect(inferring.create('openai', { key: 'k' })).rejects.toMatchObject({
        name: 'ForbiddenResponseError',
        statusCode: 403,
        error: { code: 403, message: 'Only management keys can perform this operation' },
      });
      const unknown = await connect(gateway.origin, 'nobody');
      await expect(unknown.create('openai', { key: 'k' })).rejects.toMatchObject({
        name: 'UnauthorizedResponseError',
        statusCode: 401,
      });
    });

    it('finds every provider of its enumeration', async () => {
      const slugs = await slugsOf(sdk);
      expect(slugs.length).toBeGreaterThanOrEqual(90);
      expect(slugs.filter((slug) => !PUBLISHED_SLUGS.has(slug))).toEqual([]);
      const client = await connect(gateway.origin, MANAGEMENT_KEY);
      const created = await client.create(slugs.at(-1)!, { key: 'k' });
      expect(created.provider).toBe(slugs.at(-1));
    });
  });

  it('takes no provider that no client offers', async () => {
    const offered = new Set((await Promise.all(CLIENTS.map(({ sdk }) => slugsOf(sdk)))).flat());
    expect([...PUBLISHED_SLUGS].filter((slug) => !offered.has(slug))).toEqual([]);
  });
});
