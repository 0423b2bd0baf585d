/**
 * Replicas share a model's limits exactly (docs/use/limits.md#flood), slots of a dead
 * replica expire, and a lost Redis costs neither calls nor the limit of a process. Gates as replicas have them, each
 * with its own connection, on a real Redis where one answers, by a connection that can be cut or frozen; the time
 * is set to the middle of a minute.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Model, ModelLimits } from '../../src/core/routing/catalog.js';
import { Secret } from '../../src/core/secret.js';
import { GatewayError } from '../../src/core/errors.js';
import { OccupiedSlots } from '../../src/rate-limits/occupied-slots.js';
import { LocalLimitCounts } from '../../src/rate-limits/local-limit-counts.js';
import { ModelGate } from '../../src/rate-limits/model-gate.js';
import type { LimitSlot } from '../../src/rate-limits/limit-slot.js';
import { RedisLimitCounts } from '../../src/rate-limits/redis-limit-counts.js';
import { RedisOutage } from '../../src/rate-limits/redis-outage.js';
import { connectForLimits, reconnect } from '../../src/rate-limits/redis-throttler.storage.js';
import { AheadClock, WrongClock } from '../support/ahead-clock.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/** Long enough that a busy machine is no outage. */
const PATIENT_MS = 10_000;
/** How long a call may wait for a silent Redis, with a margin for a busy machine. */
const WAIT_MS_MAX = 1_500;
const HEALED_MS_MAX = 20_000;

interface Replica {
  readonly gate: ModelGate;
  /** Ends it as SIGKILL does: nothing is given back. */
  kill(): void;
}

describeOnRedis('limits of models in Redis', () => {
  const account = `test-${randomUUID()}`;
  const clock = new AheadClock();
  const replicas: Replica[] = [];
  let redis: Redis;
  let calls = 0;

  async function replicaBy(
    url: string,
    { timeoutMs = PATIENT_MS, leaseMs = 30_000, own = clock } = {},
  ): Promise<Replica> {
    const connection = connectForLimits(new Secret(url));
    await new Promise((resolve) => connection.once('ready', resolve));
    const held = new OccupiedSlots(own, 900_000);
    const outage = new RedisOutage(own, () => reconnect(connection), timeoutMs);
    const local = new LocalLimitCounts(own, held);
    const counts = new RedisLimitCounts(connection, outage, local, held, own, leaseMs);
    const replica = {
      gate: new ModelGate(counts),
      kill: () => {
        counts.onApplicationShutdown();
        connection.disconnect();
      },
    };
    replicas.push(replica);
    return replica;
  }
  const three = (): Promise<Replica[]> => Promise.all([1, 2, 3].map(() => replicaBy(redisAddress!)));

  /** A separate model for each test. */
  const modelWith = (limits: ModelLimits): Pick<Model, 'id' | 'limits'> => ({ id: `acme/${randomUUID()}`, limits });
  const keyOf = ({ id }: Pick<Model, 'id'>, part: 'minute' | 'slots'): string =>
    `fairlead:limits:{${account}:${id}}:${part}`;

  const enter = ({ gate }: Replica, model: Pick<Model, 'id' | 'limits'>, tokens = 1): Promise<LimitSlot> =>
    gate.enter(account, model, `gen-${calls++}`, tokens);
  /** The slot, or undefined for a refusal; any other failure fails the test. */
  async function tryEnter(
    replica: Replica,
    model: Pick<Model, 'id' | 'limits'>,
    tokens = 1,
  ): Promise<LimitSlot | undefined> {
    try {
      return await enter(replica, model, tokens);
    } catch (error) {
      if (error instanceof GatewayError && error.kind === 'rate-limited') return undefined;
      throw error;
    }
  }
  async function until(holds: () => Promise<boolean>, msMax = HEALED_MS_MAX): Promise<void> {
    const deadline = performance.now() + msMax;
    while (!(await holds())) {
      if (performance.now() > deadline) throw new Error('It did not come to hold in time.');
      await sleep(10);
    }
  }

  beforeAll(() => {
    Logger.overrideLogger(false);
    redis = new Redis(redisAddress!);
  });
  beforeEach(() => {
    clock.aheadMs = 0;
    clock.aheadMs = 60_000 - (clock.now() % 60_000) + 5_000;
  });
  afterEach(() => {
    for (const replica of replicas.splice(0)) replica.kill();
  });
  afterAll(async () => {
    const keys = await redis.keys(`fairlead:limits:{${account}:*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  });

  it('admits exactly the requests of a minute over three replicas, and reports to the others when it ends', async () => {
    const gates = await three();
    const model = modelWith({ requestsPerMinute: 40 });
    const minuteEnd = Math.ceil(clock.now() / 60_000) * 60_000;
    const tried = await Promise.all(Array.from({ length: 120 }, (_, call) => tryEnter(gates[call % 3]!, model)));
    expect(tried.filter((slot) => slot !== undefined)).toHaveLength(40);
    for (const slot of tried) slot?.release();
    await expect(enter(gates[0]!, model)).rejects.toMatchObject({
      detail: {
        headers: {
          'X-RateLimit-Limit': '40',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': String(minuteEnd),
        },
      },
    });
    clock.aheadMs += 60_000;
    expect(await tryEnter(gates[1]!, model)).toBeDefined();
  });

  it('counts tokens as reserved, then as used, never below zero, and only in their own minute', async () => {
    const [first, second, third] = (await three()) as [Replica, Replica, Replica];
    const model = modelWith({ tokensPerMinute: 100 });
    const tokensCounted = async (count: string): Promise<void> =>
      until(async () => (await redis.hget(keyOf(model, 'minute'), 'tokens')) === count);
    const slot = await enter(first, model, 60);
    await expect(enter(second, model, 50)).rejects.toMatchObject({
      detail: { headers: { 'X-RateLimit-Remaining': '40' } },
    });
    slot.release(20);
    slot.release(0);
    await tokensCounted('20');
    const late = await enter(second, model, 80);
    expect(await tryEnter(third, model)).toBeUndefined();
    // A provider may count more than expected.
    late.release(500);
    await tokensCounted('520');
    expect(await tryEnter(third, model)).toBeUndefined();

    clock.aheadMs += 60_000;
    // More than the whole limit: all of an unused minute.
    const whole = await enter(third, model, 1e9);
    expect(await tryEnter(first, model)).toBeUndefined();
    clock.aheadMs += 60_000;
    (await enter(first, model, 30)).release(0);
    await tokensCounted('0');
    const one = await enter(second, model, 10);
    whole.release(0);
    one.release(5);
    // By the same connection as the end above: when the one has arrived, so has the other.
    (await enter(third, model, 10)).release(4);
    await tokensCounted('9');

    const reserved = await enter(first, model, 50);
    await redis.del(keyOf(model, 'minute'));
    const anew = await enter(first, model, 7);
    reserved.release(0);
    anew.release(9);
    await tokensCounted('2');
  });

  it('claims all limits or none', async () => {
    const [first, second] = (await three()) as [Replica, Replica, Replica];
    const model = modelWith({ requestsPerMinute: 3, tokensPerMinute: 100, concurrency: 1 });
    const slot = await enter(first, model, 60);
    expect([await tryEnter(second, model, 50), await tryEnter(second, model, 40)]).toEqual([undefined, undefined]);
    expect(await redis.hgetall(keyOf(model, 'minute'))).toMatchObject({ requests: '1', tokens: '60' });
    expect(await redis.zcard(keyOf(model, 'slots'))).toBe(1);
    slot.release();
    await until(async () => (await tryEnter(second, model, 40)) !== undefined);
    expect(await redis.hgetall(keyOf(model, 'minute'))).toMatchObject({ requests: '2', tokens: '100' });
  });

  it('never has more calls inside than its slots, over three replicas, and has as many', async () => {
    const gates = await three();
    const model = modelWith({ concurrency: 4 });
    let [inside, most, passed] = [0, 0, 0];
    const caller = async (name: number): Promise<void> => {
      for (let call = 0; call < 15; call++) {
        const slot = await tryEnter(gates[(name + call) % 3]!, model);
        if (!slot) continue;
        inside++;
        passed++;
        most = Math.max(most, inside);
        await sleep((name * 7 + call * 3) % 5);
        inside--;
        slot.release();
        slot.release();
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, name) => caller(name)));
    expect(most).toBe(4);
    expect(passed).toBeGreaterThan(4);
    await until(async () => (await redis.zcard(keyOf(model, 'slots'))) === 0);
  });

  it('renews what is held, and frees what a dead replica held, and nothing else', async () => {
    const model = modelWith({ concurrency: 2 });
    const [doomed, other] = [await replicaBy(redisAddress!, { leaseMs: 1_500 }), await replicaBy(redisAddress!)];
    await enter(doomed, model);
    const [owner] = await redis.zrange(keyOf(model, 'slots'), 0, 0);
    const lease = async (): Promise<number> => Number(await redis.zscore(keyOf(model, 'slots'), owner!));
    const first = await lease();
    await enter(other, model);
    await until(async () => (await lease()) > first);
    expect(await tryEnter(other, model)).toBeUndefined();
    doomed.kill();
    expect(await tryEnter(other, model)).toBeUndefined();
    await until(async () => (await tryEnter(other, model)) !== undefined);
    expect(await tryEnter(other, model)).toBeUndefined();
  });

  it('leaves nothing in Redis for longer than it counts', async () => {
    const gate = await replicaBy(redisAddress!);
    const model = modelWith({ requestsPerMinute: 9, concurrency: 9 });
    await enter(gate, model);
    const [minuteMs, slotsMs] = [await redis.pttl(keyOf(model, 'minute')), await redis.pttl(keyOf(model, 'slots'))];
    expect([minuteMs > 0 && minuteMs <= 60_000, slotsMs > 0 && slotsMs <= 30_000]).toEqual([true, true]);
  });

  it.each([-30_000, 30_000])(
    'counts on in the same minute when Redis is lost by a replica whose clock is off by %d ms',
    async (offMs) => {
      const proxy = new TcpProxy(redisAddress!);
      await proxy.start();
      const own = Object.assign(new WrongClock(offMs), { aheadMs: clock.aheadMs });
      const [off, right] = [await replicaBy(proxy.url, { own }), await replicaBy(redisAddress!)];
      const model = modelWith({ requestsPerMinute: 5 });
      for (const replica of [right, right, right, off]) await enter(replica, model);
      await proxy.stop();
      expect(await tryEnter(off, model)).toBeDefined();
      expect(await tryEnter(off, model)).toBeUndefined();
      expect(await tryEnter(right, model)).toBeDefined();
    },
  );

  it('continues to count when Redis has forgotten its scripts', async () => {
    const gate = await replicaBy(redisAddress!);
    const model = modelWith({ requestsPerMinute: 2 });
    await enter(gate, model);
    await redis.script('FLUSH');
    await enter(gate, model);
    expect(await redis.hget(keyOf(model, 'minute'), 'requests')).toBe('2');
    expect(await tryEnter(gate, model)).toBeUndefined();
  });

  describe('without Redis', () => {
    let way: TcpProxy;
    beforeEach(async () => {
      way = new TcpProxy(redisAddress!);
      await way.start();
    });
    afterEach(() => way.stop());

    it.each([
      ['gone', (): Promise<void> => way.stop(), (): Promise<void> => way.start()],
      ['silent', async (): Promise<void> => way.freeze(), async (): Promise<void> => undefined],
    ])(
      'continues within the limits of the process while Redis is %s, and heals',
      async (_, breakIt, mendIt) => {
        const cut = await replicaBy(way.url, { timeoutMs: 100 });
        const other = await replicaBy(redisAddress!);
        const model = modelWith({ requestsPerMinute: 10_000, concurrency: 2 });
        const [left, kept] = [await enter(cut, model), await enter(cut, model)];
        await breakIt();

        left.release();
        for (let call = 0; call < 5; call++) {
          const began = performance.now();
          const slot = await enter(cut, model);
          expect(await tryEnter(cut, model)).toBeUndefined();
          expect(performance.now() - began).toBeLessThan(2 * WAIT_MS_MAX);
          slot.release();
        }
        // Redis has lost everything by the time it comes back.
        await redis.del(keyOf(model, 'minute'), keyOf(model, 'slots'));
        await mendIt();

        // One request after another, as callers send them, until they count in Redis again.
        await until(async () => {
          (await tryEnter(cut, model))?.release();
          return (await redis.hget(keyOf(model, 'minute'), 'requests')) !== null;
        });
        // The held slot is known again, the released one is not.
        await until(async () => (await redis.zcard(keyOf(model, 'slots'))) === 1);
        const second = await enter(other, model);
        expect(await tryEnter(other, model)).toBeUndefined();
        kept.release();
        await until(async () => (await redis.zcard(keyOf(model, 'slots'))) === 1);
        second.release();
        await until(async () => (await redis.zcard(keyOf(model, 'slots'))) === 0);
      },
      60_000,
    );

    it('adds local counts in Redis, even without a further call', async () => {
      const [cut, other] = [await replicaBy(way.url, { timeoutMs: 100 }), await replicaBy(redisAddress!)];
      const model = modelWith({ requestsPerMinute: 10, tokensPerMinute: 1_000 });
      const counted = async (): Promise<readonly (string | null)[]> =>
        redis.hmget(keyOf(model, 'minute'), 'requests', 'tokens');
      await enter(other, model);
      await until(async () => {
        await tryEnter(cut, model);
        return (await counted())[0] === '2';
      });
      await way.stop();
      const slots = [];
      for (let call = 0; call < 5; call++) slots.push(await enter(cut, model, 10));
      slots[0]!.release(4);
      await way.start();
      await until(async () => String(await counted()) === '7,46');
      const tried = [];
      for (let call = 0; call < 5; call++) tried.push(await tryEnter(other, model));
      expect(tried.filter((slot) => slot !== undefined)).toHaveLength(3);
    });

    it('continues from the count of all replicas', async () => {
      const [cut, other] = [await replicaBy(way.url, { timeoutMs: 100 }), await replicaBy(redisAddress!)];
      const model = modelWith({ requestsPerMinute: 10 });
      for (let call = 0; call < 7; call++) await enter(other, model);
      await until(async () => {
        (await tryEnter(cut, model))?.release();
        return Number(await redis.hget(keyOf(model, 'minute'), 'requests')) >= 8;
      });
      await way.stop();
      const tried = await Promise.all(Array.from({ length: 10 }, () => tryEnter(cut, model)));
      expect(tried.filter((slot) => slot !== undefined).length).toBeLessThanOrEqual(2);
    });
  });
});
