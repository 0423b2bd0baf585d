/**
 * Checks that real, unmodified clients of the API manage keys and read their own key, and that their validation
 * accepts every reply. The newest and the oldest SDK call the real application through their own methods, without
 * retries.
 */
import { Script } from 'node:vm';
import type { OpenRouter } from '@openrouter/sdk';
import type { OpenRouter as OpenRouterV0 } from 'openrouter-sdk-0';
import { hashKey } from '../../src/core/ids.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { importNatively } from '../support/native-import.js';

const UNKNOWN_HASH = 'f'.repeat(64);

/** A date of the SDKs' own realm: they check its class, which differs in the tests' realm. */
const dateAt = new Script('(ms) => new Date(ms)').runInThisContext() as (ms: number) => Date;

/** A key as both clients show it to its administrator. */
interface Shown {
  readonly hash: string;
  readonly name: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly limit: number | null;
  readonly limitRemaining: number | null;
  readonly limitReset: string | null;
  readonly usage: number;
  readonly byokUsageMonthly: number;
  readonly updatedAt: string | null;
  readonly expiresAt?: Date | null | undefined;
}

/** A key as both clients show it to its owner. */
interface Own {
  readonly label: string;
  readonly limit: number | null;
  readonly limitRemaining: number | null;
  readonly usage: number;
  readonly isFreeTier: boolean;
  readonly isManagementKey: boolean;
  readonly rateLimit: { readonly requests: number };
}

interface Wishes {
  readonly name?: string;
  readonly limit?: number | null;
  readonly limitReset?: 'daily' | null;
  readonly disabled?: boolean;
  readonly expiresAt?: Date;
}

/** The methods under test, in a form of neither client. */
interface Client {
  create(wishes: Wishes & { readonly name: string }): Promise<{ readonly key: string; readonly data: Shown }>;
  list(filters?: { readonly offset?: number; readonly includeDisabled?: boolean }): Promise<readonly Shown[]>;
  get(hash: string): Promise<Shown>;
  update(hash: string, wishes: Wishes): Promise<Shown>;
  remove(hash: string): Promise<boolean>;
  own(): Promise<Own>;
}

const settings = (origin: string, apiKey: string) => ({
  apiKey,
  serverURL: `${origin}/api/v1`,
  retryConfig: { strategy: 'none' as const },
});

/** Both majors have these methods, under the same names. */
const clientOf = ({ apiKeys }: OpenRouter | OpenRouterV0): Client => ({
  create: (requestBody) => apiKeys.create({ requestBody }),
  list: async (filters) => (await apiKeys.list(filters)).data,
  get: async (hash) => (await apiKeys.get({ hash })).data,
  update: async (hash, requestBody) => (await apiKeys.update({ hash, requestBody })).data,
  remove: async (hash) => (await apiKeys.delete({ hash })).deleted,
  own: async () => (await apiKeys.getCurrentKeyMetadata()).data,
});

const CLIENTS = [
  {
    name: '@openrouter/sdk 1.x',
    connect: async (origin: string, key: string): Promise<Client> => {
      const module = await importNatively<{ OpenRouter: typeof OpenRouter }>('@openrouter/sdk');
      return clientOf(new module.OpenRouter(settings(origin, key)));
    },
  },
  {
    name: '@openrouter/sdk 0.13',
    connect: async (origin: string, key: string): Promise<Client> => {
      const module = await importNatively<{ OpenRouter: typeof OpenRouterV0 }>('openrouter-sdk-0');
      return clientOf(new module.OpenRouter(settings(origin, key)));
    },
  },
];

describeOnEmbedded('keys in real clients', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  describe.each(CLIENTS)('$name', ({ connect }) => {
    it('creates, lists, shows, changes and deletes', async () => {
      const client = await connect(gateway.origin, MANAGEMENT_KEY);
      const expiresAt = dateAt(Date.UTC(2100, 0, 1));
      const { key, data: made } = await client.create({ name: 'one', limit: 2.5, limitReset: 'daily', expiresAt });
      expect(made).toMatchObject({
        hash: hashKey(key),
        name: 'one',
        label: expect.stringContaining('...'),
        disabled: false,
        limit: 2.5,
        limitRemaining: 2.5,
        limitReset: 'daily',
        usage: 0,
        byokUsageMonthly: 0,
        updatedAt: null,
      });
      expect(made.expiresAt?.getTime()).toBe(expiresAt.getTime());
      const { data: other } = await client.create({ name: 'two' });

      const listed = await client.list();
      expect(listed.filter(({ hash }) => [made.hash, other.hash].includes(hash))).toEqual([other, made]);
      expect(await client.list({ offset: listed.length })).toEqual([]);
      expect(await client.get(made.hash)).toEqual(made);

      const changed = await client.update(made.hash, { name: 'uno', limit: null, limitReset: null, disabled: true });
      expect(changed).toEqual({
        ...made,
        name: 'uno',
        limit: null,
        limitRemaining: null,
        limitReset: null,
        disabled: true,
        updatedAt: expect.stringMatching(/Z$/),
      });
      expect((await client.list({ includeDisabled: false })).map(({ hash }) => hash)).not.toContain(made.hash);

      expect(await client.remove(made.hash)).toBe(true);
      await expect(client.get(made.hash)).rejects.toMatchObject({ name: 'NotFoundResponseError', statusCode: 404 });
      expect((await client.list()).map(({ hash }) => hash)).not.toContain(made.hash);
    });

    it('shows a key to its bearer, and what is left of its limit', async () => {
      const { key } = await (await connect(gateway.origin, MANAGEMENT_KEY)).create({ name: 'limited', limit: 3 });
      const limited = await (await connect(gateway.origin, key)).own();
      expect(limited).toMatchObject({
        label: expect.stringContaining('...'),
        limit: 3,
        limitRemaining: 3,
        usage: 0,
        isManagementKey: false,
        rateLimit: { requests: -1 },
      });
      const unlimited = await (await connect(gateway.origin, API_KEY)).own();
      expect([unlimited.limit, unlimited.limitRemaining]).toEqual([null, null]);
      expect((await (await connect(gateway.origin, MANAGEMENT_KEY)).own()).isManagementKey).toBe(true);
    });

    it('gets its own kinds of error', async () => {
      const client = await connect(gateway.origin, MANAGEMENT_KEY);
      await expect(client.create({ name: '' })).rejects.toMatchObject({
        name: 'BadRequestResponseError',
        statusCode: 400,
        error: { code: 400, message: 'name: must be at least 1 character' },
      });
      for (const call of [client.get(UNKNOWN_HASH), client.update(UNKNOWN_HASH, {}), client.remove(UNKNOWN_HASH)])
        await expect(call).rejects.toMatchObject({ name: 'NotFoundResponseError', statusCode: 404 });
      const inferring = await connect(gateway.origin, API_KEY);
      await expect(inferring.create({ name: 'one' })).rejects.toMatchObject({
        name: 'ForbiddenResponseError',
        statusCode: 403,
      });
      // Errors for which the SDKs have no class on this route are thrown as the general one.
      await expect(inferring.list()).rejects.toMatchObject({ statusCode: 403 });
      const unknown = await connect(gateway.origin, 'nobody');
      for (const call of [unknown.list(), unknown.own()])
        await expect(call).rejects.toMatchObject({ name: 'UnauthorizedResponseError', statusCode: 401 });
    });
  });
});
