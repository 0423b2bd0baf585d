/**
 * A process that is delayed, by the system or by its own burst, does not take its own silence for Redis's: the grants
 * over all replicas equal the limit exactly. Replicas are separate processes, stopped and continued by signals while
 * they claim; in this process the event loop is blocked as soon as a claim was sent. On a real Redis.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Caller } from '../../src/core/caller.js';
import { Secret } from '../../src/core/secret.js';
import { FreeVariantsGate } from '../../src/rate-limits/free-variants-gate.js';
import { KeyGate, type LimitedCaller } from '../../src/rate-limits/key-gate.js';
import { LocalLimitCounts } from '../../src/rate-limits/local-limit-counts.js';
import { LocalThrottlerStorage } from '../../src/rate-limits/local-throttler.storage.js';
import { OccupiedSlots } from '../../src/rate-limits/occupied-slots.js';
import { RedisLimitCounts } from '../../src/rate-limits/redis-limit-counts.js';
import { RedisOutage } from '../../src/rate-limits/redis-outage.js';
import { connectForLimits, reconnect, RedisThrottlerStorage } from '../../src/rate-limits/redis-throttler.storage.js';
import { AheadClock } from '../support/ahead-clock.js';
import { callerOf } from '../support/caller.js';
import { compiledSource } from '../support/compiled-source.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';

const REPLICA = join(__dirname, '..', 'support', 'held-up-replica.mjs');
const LIMIT = 2_000;
/** Longer than twice the pause that follows a failure. */
const CLAIMING_MS = 3_500;

describeOnRedis('limits of a delayed process', () => {
  const run = `test-${randomUUID()}`;
  const clock = new AheadClock();
  const children: ChildProcess[] = [];
  let redis: Redis;

  beforeAll(() => {
    Logger.overrideLogger(false);
    redis = new Redis(redisAddress!);
  });
  beforeEach(() => {
    clock.aheadMs = 0;
    clock.aheadMs = 60_000 - (clock.now() % 60_000) + 5_000;
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(async () => {
    const keys = await redis.keys(`fairlead:*${run}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  });

  async function startReplica(kind: string, subject: string, patienceMs: number): Promise<ChildProcess> {
    const figures = [LIMIT, patienceMs, clock.aheadMs, CLAIMING_MS].map(String);
    const folder = dirname(compiledSource('main.js'));
    const child = fork(REPLICA, [folder, kind, redisAddress!, subject, ...figures], { execArgv: [] });
    children.push(child);
    const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the replica ended with ${code}`)));
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => undefined);
    return child;
  }

  /** @returns how many it was granted, once it has ended */
  async function claimWhileStopped(child: ChildProcess, stoppedMs: number, everyMs: number): Promise<number> {
    let granted: number | undefined;
    child.once('message', (report: { granted: number }) => (granted = report.granted));
    child.send('begin');
    const ended = once(child, 'exit');
    while (granted === undefined && child.exitCode === null) {
      child.kill('SIGSTOP');
      await sleep(stoppedMs);
      child.kill('SIGCONT');
      await sleep(everyMs - stoppedMs);
    }
    await ended;
    return granted!;
  }

  it.each(['limits', 'flood', 'failures'])(
    'grants exactly the limit at one replica that is stopped for 150 ms of every 210: %s',
    async (kind) => {
      const child = await startReplica(kind, `${run}-one-${kind}`, 100);
      expect(await claimWhileStopped(child, 150, 210)).toBe(LIMIT);
    },
    60_000,
  );

  // The wait is longer than a busy machine keeps Redis from answering: two replicas agree only through it.
  it.each(['limits', 'flood', 'failures'])(
    'grants exactly the limit over two replicas that are stopped by turns for longer than they wait: %s',
    async (kind) => {
      const subject = `${run}-two-${kind}`;
      const replicas = await Promise.all([0, 1].map(() => startReplica(kind, subject, 400)));
      const granted = await Promise.all(replicas.map((child) => claimWhileStopped(child, 500, 600)));
      expect(granted[0]! + granted[1]!).toBe(LIMIT);
    },
    60_000,
  );

  describe('by its own burst', () => {
    /** Blocks the event loop for so long. */
    const blockLoop = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);

    /** 60 at once, behind one whose answer is in the socket when its time is over, and as many later. */
    async function grantedTo(claim: () => Promise<unknown>): Promise<number> {
      const passes = (): Promise<number> =>
        claim().then(
          (refusal) => (refusal === undefined || typeof refusal === 'object' ? 1 : 0),
          () => 0,
        );
      const first = passes();
      blockLoop();
      let granted = await first;
      for (let round = 0; round < 2; round++) {
        const passed = await Promise.all(Array.from({ length: 60 }, passes));
        granted += passed.reduce((sum, one) => sum + one, 0);
        // Longer than any local count.
        if (round === 0) await sleep(1_100);
      }
      return granted;
    }

    function openCounts(): { counts: RedisLimitCounts; storage: RedisThrottlerStorage; ready: Promise<void> } {
      const connection = connectForLimits(new Secret(redisAddress!));
      const outage = new RedisOutage(clock, () => reconnect(connection));
      const occupied = new OccupiedSlots(clock, 900_000);
      const counts = new RedisLimitCounts(connection, outage, new LocalLimitCounts(clock, occupied), occupied, clock);
      const storage = new RedisThrottlerStorage(connection, new LocalThrottlerStorage(clock), clock, outage);
      return { counts, storage, ready: new Promise((resolve) => connection.once('ready', () => resolve())) };
    }

    it.each<[string, number, (scene: ReturnType<typeof openCounts>) => () => Promise<unknown>]>([
      [
        'requests of a key',
        10,
        ({ counts }) => {
          const gate = new KeyGate(counts);
          const caller: LimitedCaller = { ...callerOf(run, 'k'), rateLimits: { requestsPerMinute: 10 } };
          return () => gate.enter(caller, 'gen', 1);
        },
      ],
      [
        'tokens of a key',
        10,
        ({ counts }) => {
          const gate = new KeyGate(counts);
          const caller: LimitedCaller = { ...callerOf(run, 't'), rateLimits: { tokensPerMinute: 100 } };
          return () => gate.enter(caller, 'gen', 10);
        },
      ],
      [
        'free variants',
        20,
        ({ counts, storage }) => {
          const gate = new FreeVariantsGate(counts, storage);
          return () => gate.enter(callerOf(run, 'k'));
        },
      ],
      [
        'the flood guard',
        10,
        ({ storage }) => {
          const rate = { limit: 10, windowMs: 60_000 };
          const caller: Caller = callerOf(`${run}-flood`, 'k');
          return async () => {
            if (await storage.countRequest(caller, { account: rate, wasted: rate })) throw new Error('refused');
          };
        },
      ],
    ])('grants exactly the limit: %s', async (_, limit, claimBy) => {
      const scene = openCounts();
      await scene.ready;
      expect(await grantedTo(claimBy(scene))).toBe(limit);
      scene.counts.onApplicationShutdown();
      scene.storage.onApplicationShutdown();
    });
  });
});
