// What one replica learns of an endpoint is used by the others within a second; without Redis each continues alone. Two
// registries on a real Redis where one answers, one of them by a connection that can be cut; both share a clock.
import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { EndpointHealth, HealthKey } from '../../src/core/routing/health.js';
import { Secret } from '../../src/core/secret.js';
import { OTHER_CALLERS } from '../../src/endpoint-health/endpoint-record.js';
import { HealthRegistry } from '../../src/endpoint-health/health-registry.js';
import type { Environment } from '../../src/shared/environment.js';
import { RedisLink } from '../../src/shared/redis/redis-link.js';
import { StandingClock } from '../support/ahead-clock.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';

const environment = {
  cooldown: { baseMs: 5_000, maxMs: 60_000 },
  timeouts: { totalMs: 900_000 },
} as Environment;
const ELSEWHERE_MS_MAX = 1_000;
const HEALED_MS_MAX = 8_000;
const FAULT = { by: 'fault' } as const;
const LIMIT = { by: 'rate-limit' } as const;

describeOnRedis('health at two replicas', () => {
  const run = randomUUID();
  const clock = new StandingClock();
  const links: RedisLink[] = [];
  let way: TcpProxy;
  let redis: Redis;
  let here: HealthRegistry;
  let there: HealthRegistry;
  let key: HealthKey;

  function registryBy(url: string): HealthRegistry {
    const link = new RedisLink(new Secret(url));
    links.push(link);
    return new HealthRegistry(environment, clock, link);
  }
  const newKey = (): HealthKey => ({ model: `${run}/${randomUUID()}`, tag: 'acme', credential: 'shared' });
  const find = (registry: HealthRegistry, of = key): EndpointHealth | undefined =>
    registry.snapshot(OTHER_CALLERS).find(of);
  const isPaused = (registry: HealthRegistry, of = key): boolean => find(registry, of)?.cooling !== undefined;

  async function until(holds: () => boolean, msMax = ELSEWHERE_MS_MAX): Promise<void> {
    const began = performance.now();
    while (!holds() && performance.now() - began < msMax) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(holds()).toBe(true);
  }

  beforeAll(async () => {
    Logger.overrideLogger(false);
    way = new TcpProxy(redisAddress!);
    await way.start();
    redis = new Redis(redisAddress!);
    here = registryBy(way.url);
    there = registryBy(redisAddress!);
    const greeting = newKey();
    here.failed(greeting, LIMIT);
    await until(() => isPaused(there, greeting), HEALED_MS_MAX);
  });
  beforeEach(() => (key = newKey()));
  afterAll(async () => {
    for (const link of links) link.onApplicationShutdown();
    await way.stop();
    const keys = await redis.keys(`fairlead:health-*:${run}/*`);
    await redis.del([...keys, 'fairlead:health-faults:acme']);
    redis.disconnect();
  });

  // docs/use/routing.md#health
  it('pauses an endpoint at once here and within a second there, for as long', async () => {
    here.failed(key, { ...LIMIT, retryAfterMs: 30_000 });
    expect([here.admit(key), there.admit(key)]).toEqual([false, true]);
    await until(() => isPaused(there));
    expect(there.admit(key)).toBe(false);
    expect(find(there)!.cooling).toEqual(find(here)!.cooling);
  });

  // docs/use/routing.md#health
  it('uses the later end of two separate pauses', async () => {
    here.failed(key, { ...LIMIT, retryAfterMs: 10_000 });
    there.failed(key, { ...LIMIT, retryAfterMs: 40_000 });
    const last = find(there)!.cooling;
    await until(() => find(here)!.cooling?.until === last!.until);
    expect(find(there)!.cooling).toEqual(last);
  });

  it('tries with one call per replica after the pause, and ends it everywhere once one has answered', async () => {
    here.failed(key, LIMIT);
    await until(() => isPaused(there));
    clock.aheadMs += 5_000;
    expect([here, here, there, there].map((registry) => registry.admit(key))).toEqual([true, false, true, false]);
    here.succeeded(key);
    await until(() => !isPaused(there));
    expect([there.admit(key), there.admit(key)]).toEqual([true, true]);
  });

  it('counts pauses in a row over all replicas', async () => {
    here.failed(key, LIMIT);
    await until(() => isPaused(there));
    clock.aheadMs += 5_000;
    there.admit(key);
    there.failed(key, LIMIT);
    await until(() => isPaused(here));
    clock.aheadMs += 9_000;
    expect(here.admit(key)).toBe(false);
    clock.aheadMs += 1_000;
    expect(here.admit(key)).toBe(true);
  });

  it('puts an endpoint in outage behind others at every replica, until it is well where it was seen', async () => {
    for (const caller of ['one', 'two', 'three']) {
      here.succeeded(key, {}, { caller });
      here.failed(key, FAULT, { caller });
    }
    expect(find(here)).toMatchObject({ isOut: true, faultShare: 0.5, cooling: { by: 'faults' } });
    await until(() => find(there)?.isOut === true);
    there.succeeded(key);
    expect(find(there)!.isOut).toBe(true);
    clock.aheadMs += 5_000;
    here.succeeded(key);
    await until(() => find(there)?.isOut === false);
    expect(find(there)!.cooling).toBeUndefined();
  });

  it('shares a state for one caller, for that caller only', async () => {
    for (let fault = 0; fault < 3; fault++) here.failed(key, FAULT, { caller: 'one' });
    await until(() => !there.admit(key, 'one'));
    expect([here.admit(key, 'two'), there.admit(key, 'two'), isPaused(there)]).toEqual([true, true, false]);
  });

  it('shares the caller whose failure caused a pause: at no replica does the same caller extend it', async () => {
    for (const caller of ['two', 'one', 'two', 'one']) here.failed(key, FAULT, { caller });
    await until(() => isPaused(there));
    const before = find(there)!.cooling!.until;
    expect(find(here)!.cooling!.until).toBe(before);
    clock.aheadMs += 1_000;
    for (let fault = 0; fault < 5; fault++) there.failed(key, FAULT, { caller: 'two' });
    expect(find(there)!.cooling!.until).toBe(before);
    there.failed(key, FAULT, { caller: 'three' });
    expect(find(there)!.cooling!.until).toBeGreaterThan(before);
  });

  // docs/use/models.md#a-provider
  it('shows a provider as out at every replica, and figures of its own calls only', async () => {
    const provider = `p${randomUUID()}`;
    const of = { ...key, tag: provider };
    for (const caller of ['one', 'two', 'three']) here.failed(of, FAULT, { caller });
    await until(() => there.condition(of) === 'failing');
    expect(here.provider(provider).last30m).toEqual({ calls: 3, faults: 3 });
    expect(there.provider(provider).last30m).toBeUndefined();
    clock.aheadMs += 5_000;
    here.succeeded(of);
    await until(() => there.condition(of) === 'unknown');
    expect(there.provider(provider)).toEqual({});
  });

  it('shares the last fault of a provider, the later of two, also with a replica that joins', async () => {
    const provider = `p${randomUUID()}`;
    const seen = { ...FAULT, fault: { kind: 'server-error', status: 500 } } as const;
    here.failed({ ...key, tag: `${provider}/eu` }, seen);
    await until(() => there.provider(provider).lastFault !== undefined);
    expect(there.provider(provider)).toEqual({ lastFault: here.provider(provider).lastFault });
    clock.aheadMs += 1;
    there.failed({ ...key, tag: provider }, { ...FAULT, fault: { kind: 'unreachable' } });
    await until(() => here.provider(provider).lastFault?.kind === 'unreachable');
    const added = registryBy(redisAddress!);
    await until(() => added.provider(provider).lastFault !== undefined);
    expect(added.provider(provider).lastFault).toEqual({ at: clock.now(), kind: 'unreachable', model: key.model });
    await redis.del(`fairlead:health-faults:${provider}`);
  });

  it.each([
    ['a sound fault', {}, true],
    ['one of the future', { at: 9e15 }, false],
    ['one before all time', { at: -1 }, false],
    ['an unknown kind', { kind: 'spite' }, false],
    ['a model that is none', { model: 'x'.repeat(513) }, false],
    ['no object', 7, false],
  ])('judges %s from another replica', async (_, changes, isBelieved) => {
    const provider = `p${randomUUID()}`;
    const now = clock.now();
    const sound = { at: now, kind: 'server-error', status: 500, model: key.model };
    const value = typeof changes === 'object' ? { ...sound, ...changes } : changes;
    const text = JSON.stringify({ value, writtenAt: now, expiresAt: now + 60_000 });
    await redis.publish(`fairlead:${redis.options.db}:health-faults`, JSON.stringify([provider, text]));
    const other = newKey();
    here.failed(other, { ...LIMIT, fault: { kind: 'rate-limited' } });
    await until(() => there.provider('acme').lastFault?.model === other.model);
    expect(there.provider(provider).lastFault !== undefined).toBe(isBelieved);
  });

  it('keeps figures to each process', async () => {
    for (let call = 0; call < 5; call++) here.succeeded(key, { secondsToFirstToken: 1 });
    const other = newKey();
    here.failed(other, LIMIT);
    await until(() => isPaused(there, other));
    expect([find(here)!.latency !== undefined, find(there)]).toEqual([true, undefined]);
  });

  it('gives a replica that joins every pause within a second', async () => {
    here.failed(key, { ...LIMIT, retryAfterMs: 30_000 });
    await until(() => isPaused(there));
    const added = registryBy(redisAddress!);
    await until(() => isPaused(added));
    expect(added.admit(key)).toBe(false);
  });

  it.each([
    ['a sound pause', { until: Date.now() + 30_000, by: 'faults', streak: 0 }, 'faults'],
    ['a pause without end', { until: 9e15, by: 'faults', streak: 0 }, undefined],
    ['an unknown kind', { until: Date.now() + 30_000, by: 'spite', streak: 0 }, undefined],
    ['a streak that is none', { until: Date.now() + 30_000, by: 'faults', streak: -1 }, undefined],
    ['no object', 7, undefined],
  ])('judges %s from another replica', async (_, value, by) => {
    const now = clock.now();
    const sent = typeof value === 'object' ? { ...value, until: value.until + clock.aheadMs } : value;
    const text = JSON.stringify({ value: sent, writtenAt: now, expiresAt: now + 60_000 });
    const channel = `fairlead:${redis.options.db}:health-pauses`;
    await redis.publish(channel, JSON.stringify([`${key.model} acme shared`, text]));
    const other = newKey();
    here.failed(other, LIMIT);
    await until(() => isPaused(there, other));
    expect(find(there)?.cooling?.by).toBe(by);
  });

  it('continues without Redis, and shares what it learned when that is back', async () => {
    const before = newKey();
    here.failed(before, { ...LIMIT, retryAfterMs: 60_000 });
    await until(() => isPaused(there, before));
    await way.stop();

    here.failed(key, { ...LIMIT, retryAfterMs: 60_000 });
    const missed = newKey();
    there.failed(missed, { ...LIMIT, retryAfterMs: 60_000 });
    expect([here.admit(key), here.admit(before), here.admit(missed)]).toEqual([false, false, true]);
    here.succeeded(missed);

    await way.start();
    await until(() => isPaused(there) && isPaused(here, missed), HEALED_MS_MAX);
    expect([there.admit(key), here.admit(missed), here.admit(before)]).toEqual([false, false, false]);
  }, 240_000);
});
