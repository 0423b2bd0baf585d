/**
 * Goal: a Redis that restarts within a minute does not let the counts of that minute begin anew: requests, tokens,
 * slots and parts of free variants stay counted, for one replica exactly, for several with the part of each, added
 * once. Method: replicas with their own connections before a Redis of the suite's own, which is killed and started
 * again, empty or with what it has stored; the time is set to the middle of a minute. Rule: docs/use/limits.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { ModelLimits } from '../../src/core/routing/catalog.js';
import { Secret } from '../../src/core/secret.js';
import type { LimitClaim } from '../../src/rate-limits/limit-counts.js';
import type { LimitSlot } from '../../src/rate-limits/limit-slot.js';
import { LocalLimitCounts } from '../../src/rate-limits/local-limit-counts.js';
import { OccupiedSlots } from '../../src/rate-limits/occupied-slots.js';
import { RedisLimitCounts } from '../../src/rate-limits/redis-limit-counts.js';
import { RedisOutage } from '../../src/rate-limits/redis-outage.js';
import { connectForLimits, reconnect, type LimitsConnection } from '../../src/rate-limits/redis-throttler.storage.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnOwnRedis, OwnRedis } from '../support/own-redis.js';

const HEALED_MS_MAX = 20_000;
/** Long enough that a busy machine is no outage. */
const PATIENT_MS = 10_000;

interface Replica {
  readonly counts: RedisLimitCounts;
  readonly connection: LimitsConnection;
}

describeOnOwnRedis('a Redis that restarts', () => {
  const clock = new AheadClock();
  const replicas: Replica[] = [];
  let server: OwnRedis;
  let redis: Redis;
  let calls = 0;
  let subjects = 0;
  let subject: string;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    server = await OwnRedis.start();
    redis = new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
  }, 240_000);
  afterAll(async () => {
    redis.disconnect();
    await server.remove();
  });
  beforeEach(() => {
    clock.aheadMs = 0;
    clock.aheadMs = 60_000 - (clock.now() % 60_000) + 5_000;
    subject = `account:key:${subjects++}`;
  });
  afterEach(() => {
    for (const { counts, connection } of replicas.splice(0)) {
      counts.onApplicationShutdown();
      connection.disconnect();
    }
  });

  async function replica(): Promise<Replica> {
    const connection = connectForLimits(new Secret(server.url));
    const held = new OccupiedSlots(clock, 900_000);
    const outage = new RedisOutage(clock, () => reconnect(connection), PATIENT_MS);
    const counts = new RedisLimitCounts(connection, outage, new LocalLimitCounts(clock, held), held, clock);
    const made = { counts, connection };
    replicas.push(made);
    await looked(made);
    return made;
  }

  /** Waits until the replica has examined a new connection: all of its commands are answered before the last ping. */
  async function looked({ connection }: Replica): Promise<void> {
    await until(async () => connection.status === 'ready');
    for (let time = 0; time < 3; time++) await connection.ping();
  }

  /** @returns the slot; undefined: refused */
  async function enter(
    { counts }: Replica,
    limits: ModelLimits,
    claim: Partial<LimitClaim> = {},
  ): Promise<LimitSlot | undefined> {
    const claimed = await counts.claim({ subject, limits, owner: `gen-${calls++}`, tokens: 1, ...claim });
    return 'slot' in claimed ? claimed.slot : undefined;
  }
  async function admitted(replicasInTurn: readonly Replica[], times: number, limits: ModelLimits): Promise<number> {
    let count = 0;
    for (let call = 0; call < times; call++)
      if (await enter(replicasInTurn[call % replicasInTurn.length]!, limits)) count++;
    return count;
  }
  async function until(holds: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + HEALED_MS_MAX;
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error('It did not come to hold in time.');
      await sleep(10);
    }
  }
  const counted = (field = 'requests'): Promise<string | null> =>
    redis.hget(`fairlead:limits:{${subject}}:minute`, field);

  const ENDS: readonly (readonly [string, () => Promise<void>])[] = [
    ['empty', () => server.kill()],
    ['with what it has stored', () => server.stopWithItsData()],
  ];

  describe.each(ENDS)('%s', (_, end) => {
    it('admits the rest of the minute alone, with one replica', async () => {
      const limits = { requestsPerMinute: 10 };
      const one = await replica();
      expect(await admitted([one], 6, limits)).toBe(6);
      await end();
      await server.begin();
      await until(async () => (await counted()) === '6');
      expect(await admitted([one], 20, limits)).toBe(4);
      await until(async () => (await counted()) === '10');
    }, 240_000);

    it('counts once what was counted here while it was away', async () => {
      const limits = { requestsPerMinute: 10 };
      const one = await replica();
      expect(await admitted([one], 4, limits)).toBe(4);
      await end();
      expect(await admitted([one], 3, limits)).toBe(3);
      await server.begin();
      await until(async () => (await counted()) === '7');
      expect(await admitted([one], 20, limits)).toBe(3);
      await until(async () => (await counted()) === '10');
    }, 240_000);

    it('admits no more than a minute allows, whenever callers call', async () => {
      const limits = { requestsPerMinute: 30 };
      const one = await replica();
      let count = await admitted([one], 20, limits);
      await end();
      const deadline = performance.now() + 3_000;
      let isBack: Promise<void> | undefined;
      while (performance.now() < deadline) {
        if (await enter(one, limits)) count++;
        isBack ??= server.begin();
        await sleep(1);
      }
      await isBack;
      await until(async () => (await counted()) === '30');
      expect([count, await enter(one, limits)]).toEqual([30, undefined]);
    }, 240_000);

    it('has the part of each of two replicas, added once', async () => {
      const limits = { requestsPerMinute: 20 };
      const both = [await replica(), await replica()];
      expect(await admitted(both, 9, limits)).toBe(9);
      expect(await admitted([both[1]!], 5, limits)).toBe(5);
      await end();
      await server.begin();
      await Promise.all(both.map(looked));
      await until(async () => (await counted()) === '14');
      // Later connections of the same replicas add nothing.
      await Promise.all(
        both.map(({ connection }) => {
          const again = new Promise((resolve) => connection.once('ready', resolve));
          connection.disconnect(true);
          return again;
        }),
      );
      await until(async () => (await counted()) === '14');
      await Promise.all(both.map(looked));
      expect(await admitted(both, 40, limits)).toBe(6);
      expect(await counted()).toBe('20');
    }, 240_000);

    it('counts no less than one replica has seen, before the other has returned', async () => {
      const limits = { requestsPerMinute: 20 };
      const [away, back] = [await replica(), await replica()];
      expect(await admitted([away], 15, limits)).toBe(15);
      expect(await admitted([back], 1, limits)).toBe(1);
      away.connection.disconnect();
      await end();
      await server.begin();
      await looked(back);
      await until(async () => (await counted()) === '16');
      expect(await admitted([back], 40, limits)).toBe(4);
      await away.connection.connect();
      await looked(away);
      expect([await enter(away, limits), await counted()]).toEqual([undefined, '20']);
    }, 240_000);

    it('counts tokens as used, their parts, and slots', async () => {
      const limits = { tokensPerMinute: 100 };
      const part = { id: 'k', tokensPerMinute: 50 };
      const one = await replica();
      const [kept, used] = [await enter(one, limits, { tokens: 30, part }), await enter(one, limits, { tokens: 40 })];
      used!.release(10);
      await until(async () => (await counted('tokens')) === '40');
      const slots = { concurrency: 2 };
      for (const owner of ['first', 'second']) expect(await enter(one, slots, { owner })).toBeDefined();
      await end();
      await server.begin();
      await until(async () => (await counted('tokens')) === '40' && (await counted('of:k')) === '30');
      await until(async () => (await redis.zcard(`fairlead:limits:{${subject}}:slots`)) === 2);
      expect(await enter(one, slots)).toBeUndefined();
      expect(await enter(one, limits, { tokens: 21, part })).toBeUndefined();
      expect(await enter(one, limits, { tokens: 61 })).toBeUndefined();
      kept!.release(0);
      await until(async () => (await counted('tokens')) === '10');
      expect(await enter(one, limits, { tokens: 90 })).toBeDefined();
    }, 240_000);
  });

  it('begins the next minute without what was restored', async () => {
    const limits = { requestsPerMinute: 10 };
    const one = await replica();
    expect(await admitted([one], 10, limits)).toBe(10);
    await server.kill();
    clock.aheadMs += 60_000;
    await server.begin();
    await until(async () => one.connection.status === 'ready');
    expect(await admitted([one], 20, limits)).toBe(10);
  }, 240_000);
});
