/**
 * The minute of free variants is one count over all replicas (docs/use/limits.md#flood), and the limits of a process
 * have one connection. Gates as replicas have them, each with its own connection, and the module itself, on a real
 * Redis where one answers; the time is set to the middle of a minute.
 */
import { callerOf } from '../support/caller.js';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { Secret } from '../../src/core/secret.js';
import { Clock } from '../../src/core/time.js';
import type { FloodStorage } from '../../src/rate-limits/flood-storage.js';
import { FreeVariantsGate } from '../../src/rate-limits/free-variants-gate.js';
import { OccupiedSlots } from '../../src/rate-limits/occupied-slots.js';
import { RateLimitsModule } from '../../src/rate-limits/rate-limits.module.js';
import { LocalLimitCounts } from '../../src/rate-limits/local-limit-counts.js';
import { ModelGate } from '../../src/rate-limits/model-gate.js';
import { RedisLimitCounts } from '../../src/rate-limits/redis-limit-counts.js';
import { RedisOutage } from '../../src/rate-limits/redis-outage.js';
import { connectForLimits } from '../../src/rate-limits/redis-throttler.storage.js';
import { Environment } from '../../src/shared/environment.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';

/** Long enough that a busy machine is no outage. */
const PATIENT_MS = 10_000;
const SOON_MS_MAX = 10_000;

describeOnRedis('free variants in Redis', () => {
  const account = `test-${randomUUID()}`;
  const clock = new AheadClock();
  let redis: Redis;
  let hasContention = false;
  const calls = { hasContention: () => hasContention } as unknown as FloodStorage;

  beforeAll(() => {
    redis = new Redis(redisAddress!);
    clock.aheadMs = 60_000 - (clock.now() % 60_000) + 5_000;
  });
  afterAll(async () => {
    const keys = await redis.keys(`fairlead:limits:{${account}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  });

  /** As replicas have them, each with its own connection. */
  async function openGates(count: number): Promise<{ gates: FreeVariantsGate[]; close: () => void }> {
    const ends: (() => void)[] = [];
    const gates: FreeVariantsGate[] = [];
    for (let replica = 0; replica < count; replica++) {
      const connection = connectForLimits(new Secret(redisAddress!));
      await new Promise((resolve) => connection.once('ready', resolve));
      const held = new OccupiedSlots(clock, 900_000);
      const local = new LocalLimitCounts(clock, held);
      const outage = new RedisOutage(clock, undefined, PATIENT_MS);
      const counts = new RedisLimitCounts(connection, outage, local, held, clock);
      gates.push(new FreeVariantsGate(counts, calls));
      ends.push(() => {
        counts.onApplicationShutdown();
        connection.disconnect();
      });
    }
    return { gates, close: () => ends.forEach((end) => end()) };
  }

  it('admits exactly twenty requests a minute over three replicas', async () => {
    const { gates, close } = await openGates(3);
    const tried = await Promise.allSettled(
      Array.from({ length: 60 }, (_, call) => gates[call % 3]!.enter(callerOf(account))),
    );
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    const minuteEnd = Math.ceil(clock.now() / 60_000) * 60_000;
    for (const gate of gates) {
      await expect(gate.enter(callerOf(account))).rejects.toMatchObject({
        kind: 'rate-limited',
        detail: { headers: { 'X-RateLimit-Limit': '20', 'X-RateLimit-Reset': String(minuteEnd) } },
      });
    }
    await gates[0]!.enter(callerOf(`${account}-other`));
    clock.aheadMs += 60_000;
    await gates[1]!.enter(callerOf(account));
    close();
  });

  it('gives a key under contention half of them over all replicas, including those taken before and given back', async () => {
    const { gates, close } = await openGates(3);
    const shared = `${account}-shared`;
    const enter = (call: number, key: string) => gates[call % 3]!.enter(callerOf(shared, key));
    hasContention = true;
    const tried = await Promise.allSettled(Array.from({ length: 30 }, (_, call) => enter(call, 'k')));
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const refused = { kind: 'rate-limited', detail: { headers: { 'X-RateLimit-Limit': '10' } } };
    await expect(enter(0, 'k')).rejects.toMatchObject(refused);
    const other = await Promise.allSettled(Array.from({ length: 10 }, (_, call) => enter(call, 'l')));
    expect(other.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const freeRequest = tried.find((one) => one.status === 'fulfilled')!.value;
    freeRequest.giveBack();
    // Given back on another connection, in the background.
    while ((await redis.hget(`fairlead:limits:{${shared}:free}:minute`, 'of:k')) !== '9') await sleep(5);
    await enter(1, 'k');
    await expect(enter(2, 'k')).rejects.toMatchObject({ detail: { headers: { 'X-RateLimit-Limit': '20' } } });
    clock.aheadMs += 60_000;
    await enter(0, 'k');
    expect(await redis.hgetall(`fairlead:limits:{${shared}:free}:minute`)).toMatchObject({ tokens: '1', 'of:k': '1' });
    expect(await redis.hexists(`fairlead:limits:{${shared}:free}:minute`, 'of:l')).toBe(0);
    hasContention = false;
    close();
  });

  it('shares one connection among all limits of a process, and closes it with the application', async () => {
    const name = `test-${randomUUID()}`;
    const url = new URL(redisAddress!);
    url.searchParams.set('connectionName', name);
    const environment = {
      redisUrl: new Secret(url.href),
      timeouts: { totalMs: 900_000 },
      flood: { account: { limit: 100, windowMs: 10_000 }, wasted: { limit: 100, windowMs: 10_000 } },
    };
    @Module({
      providers: [
        { provide: Environment, useValue: environment },
        { provide: Clock, useValue: clock },
      ],
      exports: [Environment, Clock],
    })
    class Surroundings {}
    const app = await Test.createTestingModule({
      imports: [{ module: Surroundings, global: true }, RateLimitsModule],
    }).compile();
    const connections = async (): Promise<number> =>
      String(await redis.client('LIST'))
        .split('\n')
        .filter((line) => line.includes(`name=${name}`)).length;
    async function untilConnections(count: number): Promise<void> {
      for (const deadline = performance.now() + SOON_MS_MAX; performance.now() < deadline; await sleep(10)) {
        if ((await connections()) === count) return;
      }
      expect(await connections()).toBe(count);
    }

    await untilConnections(1);
    await app.get(FreeVariantsGate).enter(callerOf(account));
    const model = { id: 'acme/large', limits: { concurrency: 1 } };
    (await app.get(ModelGate).enter(account, model, 'gen-1', 1)).release();
    expect(await connections()).toBe(1);
    await app.close();
    await untilConnections(0);
  });
});
