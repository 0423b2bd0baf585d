// Which requests pass, which error the others get, and that a known key passes without waiting. Uses the real guard
// before marked handlers; the cache knows some keys and learns others; failures are counted.
import { Reflector } from '@nestjs/core';
import type { ExecutionContext } from '@nestjs/common';
import type { KeyKind } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { hashKey } from '../core/ids.js';
import { Clock } from '../core/time.js';
import type { FailedAuthentications } from '../rate-limits/failed-authentications.js';
import type { KeylessRequests } from '../rate-limits/keyless-requests.js';
import type { Environment } from '../shared/environment.js';
import { Accepts, Open } from '../shared/http/route.decorators.js';
import type { ActiveKey } from './active-key.js';
import { AuthenticationGuard } from './authentication.guard.js';
import type { KeyCache } from './key-cache.js';

class Routes {
  @Open() open(this: void): void {}
  @Accepts('management') manage(this: void): void {}
  @Accepts('inference') infer(this: void): void {}
  either(this: void): void {}
}

@Open()
class OpenRoutes {
  any(this: void): void {}
}

@Accepts('management')
class ManagementRoutes {
  any(this: void): void {}
}

const NOW = 1_000_000;

class StoppedClock extends Clock {
  override now(): number {
    return NOW;
  }
}

const activeKey = (key: string, kind: KeyKind, expiresAtMs: number | null = null): ActiveKey => ({
  caller: { accountId: 'account', workspaceId: 'workspace', keyHash: hashKey(key), kind, userId: null },
  expiresAtMs,
});

const boundKey = (key: string): ActiveKey => {
  const { caller, expiresAtMs } = activeKey(key, 'management');
  return { caller: { ...caller, boundTo: caller.workspaceId }, expiresAtMs };
};

const KEYS = new Map(
  [
    activeKey('inference', 'inference'),
    activeKey('management', 'management'),
    boundKey('bound'),
    activeKey('expires now', 'inference', NOW),
    activeKey('expires later', 'inference', NOW + 1),
  ].map((key) => [key.caller.keyHash, key]),
);

describe('AuthenticationGuard', () => {
  let cached: boolean;
  let storeGone: boolean;
  let failuresMax: number;
  let failedFrom: (string | undefined)[];
  let wasKnown: boolean;
  /** Look-ups that may have to wait for their turn. */
  let slowly: [address: string | undefined, hash: string][];
  let guard: AuthenticationGuard;

  beforeEach(() => {
    cached = true;
    storeGone = false;
    failuresMax = Infinity;
    failedFrom = [];
    wasKnown = false;
    slowly = [];
    const cache: Pick<KeyCache, 'peek' | 'find' | 'wasKnown'> = {
      wasKnown: (hash) => wasKnown && KEYS.has(hash),
      peek: (hash) => (cached ? (KEYS.get(hash) ?? null) : undefined),
      find: async (hash) => {
        if (storeGone) throw new GatewayError('service-unavailable', 'The store is gone.', { retryAfterMs: 1_000 });
        return KEYS.get(hash) ?? null;
      },
    };
    const failures: Pick<FailedAuthentications, 'record' | 'lookUp'> = {
      lookUp: (address, hash, lookUp) => {
        slowly.push([address, hash]);
        return lookUp();
      },
      record: async (address) => {
        failedFrom.push(address);
        if (failedFrom.length > failuresMax) throw new GatewayError('rate-limited', 'Too many.');
      },
    };
    guard = new AuthenticationGuard(
      new Reflector(),
      cache as KeyCache,
      failures as FailedAuthentications,
      // test/http/models.spec.ts has the routes that answer strangers.
      {} as KeylessRequests,
      new StoppedClock(),
      { publicCatalog: 'off' } as Environment,
    );
  });

  it('reports whether the key of an admitted caller is still valid, and looks up one that it does not know', () => {
    const refusalOf = (key: string) => guard.refusalOf({ ...activeKey(key, 'inference').caller })?.kind;
    expect(['inference', 'expires later', 'expires now', 'deleted'].map(refusalOf)).toEqual([
      undefined,
      undefined,
      'unauthenticated',
      'unauthenticated',
    ]);
    // A rotated key is looked up by its secret, not by its id, whose own secret may have ended.
    const rotated = { ...activeKey('deleted', 'inference').caller, secretHash: hashKey('inference') };
    expect(guard.refusalOf(rotated)).toBeUndefined();
    expect(guard.refusalOf({ ...rotated, secretHash: hashKey('expires now') })?.kind).toBe('unauthenticated');
    cached = false;
    expect(refusalOf('deleted')).toBeUndefined();
    storeGone = true;
    expect(refusalOf('deleted')).toBeUndefined();
  });

  interface FakeRequest {
    headers: Record<string, string>;
    path: string;
    ip: string;
    caller?: unknown;
    method: string;
    route: { readonly path: string };
  }

  interface Call {
    handler?: () => void;
    controller?: new () => object;
    key?: string;
    headers?: Record<string, string>;
    path?: string;
    /** As the router has it. */
    route?: string;
  }

  function arrive(call: Call): { request: FakeRequest; verdict: boolean | Promise<boolean> } {
    const { handler = Routes.prototype.either, controller = Routes, key, path = '/api/v1/key' } = call;
    const headers = call.headers ?? (key === undefined ? {} : { authorization: `Bearer ${key}` });
    const { route = '/api/v1/key' } = call;
    const request: FakeRequest = { headers, path, ip: '192.0.2.1', method: 'GET', route: { path: route } };
    const context: Pick<ExecutionContext, 'getHandler' | 'getClass' | 'switchToHttp'> = {
      getHandler: () => handler,
      getClass: <T>() => controller as T,
      switchToHttp: () => ({
        getRequest: <T>() => request as T,
        getResponse: <T>() => ({}) as T,
        getNext: <T>() => ({}) as T,
      }),
    };
    return { request, verdict: guard.canActivate(context as ExecutionContext) };
  }

  const refusal = async (call: Call): Promise<unknown> => {
    try {
      return await arrive(call).verdict;
    } catch (error) {
      return error;
    }
  };

  it.each([
    ['an open handler', { handler: Routes.prototype.open }],
    ['any handler of an open class', { handler: OpenRoutes.prototype.any, controller: OpenRoutes }],
  ])('lets strangers reach %s', (_, call) => {
    expect(arrive(call).verdict).toBe(true);
  });

  it.each([
    ['either kind', 'inference', Routes.prototype.either],
    ['either kind', 'management', Routes.prototype.either],
    ['inference keys', 'inference', Routes.prototype.infer],
    ['management keys', 'management', Routes.prototype.manage],
    ['a key that has not expired', 'expires later', Routes.prototype.infer],
  ])('lets %s pass without waiting, and attaches the caller: %s', (_, key, handler) => {
    const { verdict, request } = arrive({ key, handler });
    expect(verdict).toBe(true);
    expect(request.caller).toBe(KEYS.get(hashKey(key))!.caller);
  });

  it('looks up a key that is not cached', async () => {
    cached = false;
    const { verdict, request } = arrive({ key: 'inference' });
    expect(await verdict).toBe(true);
    expect(request.caller).toBe(KEYS.get(hashKey('inference'))!.caller);
  });

  const SEND = 'Send a key of this gateway as Authorization: Bearer KEY, or as x-api-key: KEY.';
  const INACTIVE = 'Invalid API key: it is not an active key of this gateway.';
  const EXPIRED = 'Invalid API key: it expired at 1970-01-01T00:16:40.000Z.';

  it.each([
    ['no key', '/api/v1/key', {}, `Missing Authentication header: no key was sent. ${SEND}`],
    ['no key', '/api/v1/messages', {}, `Invalid API key: no key was sent. ${SEND}`],
    ['no key', '/v1/messages/count_tokens', {}, `Invalid API key: no key was sent. ${SEND}`],
    ['no key', '/api/v1/keys/messages', {}, `Missing Authentication header: no key was sent. ${SEND}`],
    [
      'another scheme',
      '/api/v1/key',
      { authorization: 'Basic aW5mZXJlbmNl' },
      `Missing Authentication header: the Authorization header has the scheme Basic, and this gateway reads Bearer alone. ${SEND}`,
    ],
    [
      'another scheme in other letters',
      '/api/v1/messages',
      { authorization: 'token nobody' },
      `Invalid API key: the Authorization header has the scheme Token, and this gateway reads Bearer alone. ${SEND}`,
    ],
    [
      'a scheme of no known name',
      '/api/v1/messages',
      { authorization: 'canary nobody' },
      `Invalid API key: the Authorization header has another scheme than Bearer, which alone is read. ${SEND}`,
    ],
    [
      'the key alone',
      '/api/v1/chat/completions',
      { authorization: 'canary' },
      `Missing Authentication header: the Authorization header lacks the word Bearer before the key. ${SEND}`,
    ],
    [
      'a scheme without a key',
      '/api/v1/messages',
      { authorization: 'Bearer ' },
      `Invalid API key: the Authorization header has no key behind the word Bearer. ${SEND}`,
    ],
    ['an unknown key', '/api/v1/key', { authorization: 'Bearer nobody' }, INACTIVE],
    ['an unknown key', '/api/v1/messages', { 'x-api-key': 'nobody' }, INACTIVE],
    ['an expired key', '/api/v1/key', { authorization: 'Bearer expires now' }, EXPIRED],
    ['an expired key', '/api/v1/messages', { 'x-api-key': 'expires now' }, EXPIRED],
    ['half of an expired key', '/api/v1/key', { 'x-api-key': 'expires' }, INACTIVE],
    [
      'a good Bearer behind a bad x-api-key',
      '/api/v1/key',
      { 'x-api-key': 'nobody', authorization: 'Bearer inference' },
      INACTIVE,
    ],
  ])('refuses %s at %s', async (_, path, headers, message) => {
    for (cached of [true, false])
      expect(await refusal({ path, headers })).toMatchObject({ kind: 'unauthenticated', message });
  });

  it.each([
    ['sk-ant-api03-', 'Anthropic'],
    ['sk-or-v1-', 'OpenRouter'],
    ['sk-proj-', 'OpenAI'],
    ['gsk_', 'Groq'],
    ['xai-', 'xAI'],
    ['nvapi-', 'NVIDIA'],
  ])('recognises a key that begins with %s, and repeats nothing of it', async (start, vendor) => {
    const error = (await refusal({ key: `${start}canary0123456789` })) as GatewayError;
    expect(error.kind).toBe('unauthenticated');
    expect(error.message).toBe(
      `Invalid API key: it has the form of a key of ${vendor}. Send a key of this gateway; keys of providers are stored by POST /byok.`,
    );
  });

  it('names no vendor where several have the form, and none for a key of the gateway', async () => {
    for (const key of ['sk-0123456789abcdef0123456789abcdef', `sk-fl-v1-${'0'.repeat(64)}`])
      expect(await refusal({ key })).toMatchObject({ message: INACTIVE });
  });

  it('reports a key that ended while its request was read as expired', () => {
    expect(guard.refusalOf(activeKey('expires now', 'inference').caller)?.message).toBe(EXPIRED);
    expect(guard.refusalOf(activeKey('deleted', 'inference').caller)?.message).toBe(INACTIVE);
  });

  it.each([
    ['management', 'inference', Routes.prototype.manage, Routes, 'Only management keys can perform this operation'],
    [
      'management',
      'inference',
      ManagementRoutes.prototype.any,
      ManagementRoutes,
      'Only management keys can perform this operation',
    ],
    [
      'inference',
      'management',
      Routes.prototype.infer,
      Routes,
      'Management keys cannot call inference; use an inference key',
    ],
  ])(
    'where %s keys are required, names that in the error for %s keys',
    async (_, key, handler, controller, message) => {
      for (cached of [true, false])
        expect(await refusal({ key, handler, controller })).toMatchObject({ kind: 'forbidden', message });
      expect(failedFrom).toEqual([]);
    },
  );

  it.each([
    [Routes.prototype.manage, '/api/v1/credits', false],
    [Routes.prototype.manage, '/api/v1/a-route-without-a-row', false],
    [Routes.prototype.either, '/api/v1/another-without-a-row', false],
    [Routes.prototype.manage, '/api/v1/keys/:hash', true],
    [Routes.prototype.either, '/api/v1/key', true],
  ])(
    'lets a key that is bound to a workspace call only routes for which that is written: %# %s',
    async (handler, route, passes) => {
      const BOUND =
        'This management key is bound to a workspace; only a management key of the account can perform this operation';
      for (cached of [true, false]) {
        expect(await refusal({ key: 'management', handler, route })).toBe(true);
        const verdict = await refusal({ key: 'bound', handler, route });
        if (passes) expect(verdict).toBe(true);
        else expect(verdict).toMatchObject({ kind: 'forbidden', message: BOUND });
      }
      expect(await refusal({ key: 'bound', handler: Routes.prototype.infer, route })).toMatchObject({
        message: 'Management keys cannot call inference; use an inference key',
      });
    },
  );

  it('never calls a key invalid because the database does not answer', async () => {
    cached = false;
    storeGone = true;
    expect(await refusal({ key: 'inference' })).toMatchObject({
      kind: 'service-unavailable',
      detail: { retryAfterMs: 1_000 },
    });
    expect(failedFrom).toEqual([]);
  });

  it('looks a key up in its turn where it may be a guess, and at once where it was valid before', async () => {
    expect(await refusal({ key: 'inference' })).toBe(true);
    expect(slowly).toEqual([]);
    cached = false;
    expect(await refusal({ key: 'inference' })).toBe(true);
    await refusal({ key: 'nobody' });
    expect(slowly).toEqual([
      ['192.0.2.1', hashKey('inference')],
      ['192.0.2.1', hashKey('nobody')],
    ]);
    wasKnown = true;
    expect(await refusal({ key: 'inference' })).toBe(true);
    expect(slowly).toHaveLength(2);
  });

  it('counts each failure at its address, and no success', async () => {
    await refusal({});
    await refusal({ key: 'nobody' });
    await refusal({ key: 'inference' });
    expect(failedFrom).toEqual(['192.0.2.1', '192.0.2.1']);
  });

  it('throttles failures, yet lets a valid key pass from the same address', async () => {
    failuresMax = 0;
    expect(await refusal({ key: 'nobody' })).toMatchObject({ kind: 'rate-limited' });
    expect(await refusal({ key: 'inference' })).toBe(true);
    cached = false;
    expect(await refusal({ key: 'inference' })).toBe(true);
  });
});
