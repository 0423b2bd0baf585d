/**
 * Goal: the minute of free variants is one count over all replicas (docs/reasons/money.md#limits-over-replicas), and
 * the limits of a process have one connection. Method: gates as replicas have them, each with a connection of its own,
 * and the module itself, on a real Redis where one answers; the time stands in the middle of a minute.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { Secret } from '../../src/core/secret.js';
import { Clock } from '../../src/core/time.js';
import { FreeGate } from '../../src/limits/free-gate.js';
import { OccupiedSlots } from '../../src/limits/occupied-slots.js';
import { LimitsModule } from '../../src/limits/limits.module.js';
import { LocalLimitCounts } from '../../src/limits/local-limit-counts.js';
import { ModelGate } from '../../src/limits/model-gate.js';
import { RedisLimitCounts } from '../../src/limits/redis-limit-counts.js';
import { RedisOutage } from '../../src/limits/redis-outage.js';
import { connectForLimits } from '../../src/limits/redis-throttler.storage.js';
import { Environment } from '../../src/shared/environment.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';

/** So that a busy machine is no outage. */
const PATIENT_MS = 10_000;
const SOON_MS_MAX = 10_000;

describeOnRedis('free variants in Redis', () => {
  const account = `test-${randomUUID()}`;
  const clock = new AheadClock();
  let redis: Redis;

  beforeAll(() => {
    redis = new Redis(redisAddress!);
    clock.aheadMs = 60_000 - (clock.now() % 60_000) + 5_000;
  });
  afterAll(async () => {
    const keys = await redis.keys(`fairlead:limits:{${account}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  });

  it('admits exactly twenty requests a minute over three replicas', async () => {
    const ends: (() => void)[] = [];
    const gates: FreeGate[] = [];
    for (let replica = 0; replica < 3; replica++) {
      const connection = connectForLimits(new Secret(redisAddress!), PATIENT_MS);
      await new Promise((resolve) => connection.once('ready', resolve));
      const held = new OccupiedSlots(clock, 900_000);
      const local = new LocalLimitCounts(clock, held);
      const counts = new RedisLimitCounts(connection, new RedisOutage(clock), local, held, clock);
      gates.push(new FreeGate(counts));
      ends.push(() => {
        counts.onApplicationShutdown();
        connection.disconnect();
      });
    }
    const tried = await Promise.allSettled(Array.from({ length: 60 }, (_, call) => gates[call % 3]!.enter(account)));
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    const minuteEnd = Math.ceil(clock.now() / 60_000) * 60_000;
    for (const gate of gates) {
      await expect(gate.enter(account)).rejects.toMatchObject({
        kind: 'rate-limited',
        detail: { headers: { 'X-RateLimit-Limit': '20', 'X-RateLimit-Reset': String(minuteEnd) } },
      });
    }
    await gates[0]!.enter(`${account}-other`);
    clock.aheadMs += 60_000;
    await gates[1]!.enter(account);
    for (const end of ends) end();
  });

  it('shares one connection among all limits of a process, and closes it with the application', async () => {
    const name = `test-${randomUUID()}`;
    const url = new URL(redisAddress!);
    url.searchParams.set('connectionName', name);
    const environment = {
      redisUrl: new Secret(url.href),
      timeouts: { totalMs: 900_000 },
      flood: { account: { limit: 100, windowMs: 10_000 } },
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
      imports: [{ module: Surroundings, global: true }, LimitsModule],
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
    await app.get(FreeGate).enter(account);
    const model = { id: 'acme/large', limits: { concurrency: 1 } };
    (await app.get(ModelGate).enter(account, model, 'gen-1', 1)).release();
    expect(await connections()).toBe(1);
    await app.close();
    await untilConnections(0);
  });
});
