// With Redis, replicas count the calls and wasted calls of keys together, with the same results as one process, however
// far their clocks differ, and continue from these counts when Redis is lost. The steps of the unit spec run on two
// storages alternately, each with its own connection and a clock that is half a minute off, on a real Redis where one
// answers.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Secret } from '../../src/core/secret.js';
import type { Caller } from '../../src/core/caller.js';
import {
  connectForLimits,
  RedisThrottlerStorage,
  type LimitsConnection,
} from '../../src/rate-limits/redis-throttler.storage.js';
import { RedisOutage } from '../../src/rate-limits/redis-outage.js';
import { LocalThrottlerStorage } from '../../src/rate-limits/local-throttler.storage.js';
import { WrongClock } from '../support/ahead-clock.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { FLOOD_STEPS, type FloodStep } from '../support/flood-steps.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';

/** Long enough that a busy machine is no outage. */
const PATIENT_MS = 10_000;
const HEALED_MS_MAX = 20_000;

describeOnRedis('the flood guard’s counts in Redis', () => {
  const run = randomUUID();
  const connections: LimitsConnection[] = [];
  let clocks: WrongClock[];
  let replicas: RedisThrottlerStorage[];

  async function connected(url = redisAddress!): Promise<LimitsConnection> {
    const redis = connectForLimits(new Secret(url));
    await new Promise((resolve) => redis.once('ready', resolve));
    return redis;
  }
  const replicaOf = (redis: LimitsConnection, clock: WrongClock): RedisThrottlerStorage =>
    new RedisThrottlerStorage(
      redis,
      new LocalThrottlerStorage(clock),
      clock,
      new RedisOutage(clock, undefined, PATIENT_MS),
    );

  beforeAll(async () => {
    Logger.overrideLogger(false);
    connections.push(await connected(), await connected());
  });
  beforeEach(() => {
    clocks = [new WrongClock(-30_000), new WrongClock(30_000)];
    replicas = connections.map((redis, position) => replicaOf(redis, clocks[position]!));
  });
  afterAll(async () => {
    const keys = (await connections[0]?.keys(`fairlead:flood:{${run}*`)) ?? [];
    if (keys.length > 0) await connections[0]!.del(keys);
    for (const redis of connections) redis.disconnect();
  });

  /** A caller of this run and of one set of steps alone. */
  const own = (caller: Caller, position: number | string): Caller => ({
    ...caller,
    accountId: `${run}:${position}:${caller.accountId}`,
    keyHash: `${position}:${caller.keyHash}`,
  });

  it.each(FLOOD_STEPS.map((steps, position) => ({ ...steps, position })))(
    '$goal',
    async ({ rates, steps, position }) => {
      let turn = 0;
      const next = (): RedisThrottlerStorage => replicas[turn++ % 2]!;
      const ask = async ({
        waitMs = 0,
        caller,
        wastes = 0,
        wastesAtOnce,
        times = 1,
      }: FloodStep): Promise<unknown[]> => {
        for (const clock of clocks) clock.aheadMs += waitMs;
        for (let time = 0; time < wastes; time++) next().countWaste(own(caller, position), rates.wasted);
        if (wastesAtOnce) next().countWaste(own(caller, position), rates.wasted, wastesAtOnce);
        // Wasted calls are sent in the background: a command on the same connection comes after them.
        for (const redis of connections) await redis.ping();
        const verdicts: unknown[] = [];
        for (let time = 0; time < times; time++) {
          const refusal = await next().countRequest(own(caller, position), rates);
          verdicts.push(refusal?.limit ?? 'passes');
        }
        return verdicts;
      };
      for (const [index, step] of steps.entries()) expect([index, await ask(step)]).toEqual([index, step.expected]);
    },
  );

  const EVERY_LOSS = FLOOD_STEPS.flatMap(({ goal, rates, steps }, run) =>
    steps.slice(1).map((_, lostAt) => ({ goal, rates, steps, run, lostAt: lostAt + 1 })),
  );
  it.each(EVERY_LOSS)(
    'are gone on from where Redis is lost: $goal, lost before step $lostAt',
    async ({ rates, steps, run: of, lostAt }) => {
      const redis = await connected();
      const clock = new WrongClock(30_000);
      const replica = replicaOf(redis, clock);
      for (const [index, { waitMs = 0, caller, wastes = 0, wastesAtOnce, times = 1, expected }] of steps.entries()) {
        if (index === lostAt) redis.disconnect();
        clock.aheadMs += waitMs;
        const placed = own(caller, `${of} lost at ${lostAt}`);
        for (let time = 0; time < wastes; time++) replica.countWaste(placed, rates.wasted);
        if (wastesAtOnce) replica.countWaste(placed, rates.wasted, wastesAtOnce);
        // Counts that Redis does not accept are made in the process a moment later.
        await new Promise(setImmediate);
        const verdicts: unknown[] = [];
        for (let time = 0; time < times; time++) {
          verdicts.push((await replica.countRequest(placed, rates))?.limit ?? 'passes');
        }
        expect([index, verdicts]).toEqual([index, expected]);
      }
      redis.disconnect();
    },
  );

  it.each([
    ['below the limit', 4, undefined],
    ['past the limit', 8, 'account'],
  ])('has added to it what a replica counted while it was lost: %s', async (_, times, limit) => {
    const way = new TcpProxy(redisAddress!);
    await way.start();
    const redis = await connected(way.url);
    const cut = replicaOf(redis, clocks[0]!);
    const { rates: given, steps } = FLOOD_STEPS[0]!;
    // Longer than a busy machine takes to heal.
    const rates = { ...given, account: { ...given.account, windowMs: 60_000 } };
    const caller = own(steps[0]!.caller, -2 - times);
    const group = `fairlead:flood:{${caller.accountId}}`;
    await cut.countRequest(caller, rates);
    await way.stop();
    for (let time = 0; time < times; time++) await cut.countRequest(caller, rates);
    cut.countWaste(caller, rates.wasted);
    await way.start();
    const counted = async (): Promise<unknown[]> => [
      await connections[0]!.hget(group, 'hits'),
      ...(await connections[0]!.hmget(`${group}:${caller.keyHash}`, 'hits', 'wasted')),
    ];
    const all = [1 + times, 1 + times, 1].map(String);
    for (let waitedMs = 0; String(await counted()) !== String(all) && waitedMs < HEALED_MS_MAX; waitedMs += 10)
      await sleep(10);
    expect(await counted()).toEqual(all);
    const refusal = await replicas[1]!.countRequest(caller, rates);
    expect(refusal?.limit).toBe(limit);
    expect(refusal?.retryAfterMs ?? 0).toBeLessThanOrEqual(rates.account.windowMs);
    expect(await replicas[1]!.countRequest(caller, rates)).toMatchObject({ limit: 'account' });
    cut.onApplicationShutdown();
    await way.stop();
  });

  it('reports contention to each replica that only another one has seen, and the time that is left', async () => {
    const { rates, steps } = FLOOD_STEPS[2]!;
    const [first, second] = [own(steps[0]!.caller, -1), own(steps[1]!.caller, -1)];
    await replicas[0]!.countRequest(first, rates);
    await replicas[1]!.countRequest(second, rates);
    expect([replicas[0]!.hasContention(first), replicas[1]!.hasContention(second)]).toEqual([false, true]);
    await replicas[0]!.countRequest(first, rates);
    expect(replicas[0]!.hasContention(first)).toBe(true);
    for (let times = 0; times < 2; times++) await replicas[0]!.countRequest(second, rates);
    const refusal = await replicas[1]!.countRequest(second, rates);
    expect(refusal).toMatchObject({ limit: 'share' });
    expect(refusal!.retryAfterMs).toBeGreaterThan(9_000);
    expect(refusal!.retryAfterMs).toBeLessThanOrEqual(10_000);
  });

  it('keeps nothing in Redis for longer than it matters', async () => {
    const { rates, steps } = FLOOD_STEPS[2]!;
    const caller = own(steps[0]!.caller, -2);
    await replicas[0]!.countRequest(caller, rates);
    const group = `fairlead:flood:{${caller.accountId}}`;
    const key = `${group}:${caller.keyHash}`;
    expect(await connections[0]!.pttl(group)).toBeGreaterThan(590_000);
    expect(await connections[0]!.pttl(group)).toBeLessThanOrEqual(600_000);
    expect(await connections[0]!.pttl(key)).toBeLessThanOrEqual(10_000);
    replicas[0]!.countWaste(caller, rates.wasted);
    await sleep(5);
    await replicas[0]!.countRequest(caller, rates);
    // The window of requests ends before that of wasted calls, and does not end it too.
    expect(await connections[0]!.pttl(key)).toBeGreaterThan(50_000);
  });
});
