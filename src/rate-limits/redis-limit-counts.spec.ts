// Redis counts while it answers, this process while it does not, and Redis gets afterwards what it missed. Scripted
// answers and failures; the scripts record their arguments.
import { Logger } from '@nestjs/common';
import type { ModelLimits } from '../core/routing/catalog.js';
import { Clock } from '../core/time.js';
import { OccupiedSlots } from './occupied-slots.js';
import type { LimitClaimResult } from './limit-counts.js';
import type { LimitScripts } from './limit-scripts.js';
import { LocalLimitCounts } from './local-limit-counts.js';
import { RedisLimitCounts } from './redis-limit-counts.js';
import { RedisOutage } from './redis-outage.js';

const NOW = 1_795_000_020_000;
const MINUTE = NOW / 60_000;
const LEASE_MS = 9_000_000;
const PATIENCE_MS = 5;
const ALL: ModelLimits = { requestsPerMinute: 3, tokensPerMinute: 100, concurrency: 2 };
const KEYS = ['fairlead:limits:{a}:minute', 'fairlead:limits:{a}:slots'];

class ManualClock extends Clock {
  time = NOW;
  override aheadMs = 7;
  override now(): number {
    return this.time;
  }
}

class FakeScripts implements LimitScripts {
  answer: unknown = [0, 1, 10, 0, NOW + 1];
  isGone = false;
  calls: (string | number)[][] = [];

  claimLimits(...values: (string | number)[]): Promise<unknown> {
    return this.ask('claim', values, this.answer);
  }

  addToMinute(...values: (string | number)[]): Promise<unknown> {
    return this.ask('add', values, 1);
  }

  releaseLimits(...values: (string | number)[]): Promise<unknown> {
    return this.ask('leave', values, 0);
  }

  renewSlots(...values: (string | number)[]): Promise<unknown> {
    return this.ask('renew', values, 0);
  }

  /** The mark of its contents. */
  mark = 'first';
  private readonly listeners = new Map<string, () => void>();

  async keepMark(): Promise<unknown> {
    if (this.isGone) throw new Error('connect ECONNREFUSED 10.0.0.1:6379');
    return this.mark;
  }

  restoreMinute(...values: (string | number)[]): Promise<unknown> {
    return this.ask('restore', values, 1);
  }

  on(event: string, listener: () => void): void {
    this.listeners.set(event, listener);
  }

  emit(event: 'connect' | 'ready' | 'close'): void {
    this.listeners.get(event)!();
  }

  /** If set, pending answers wait for it. */
  until: Promise<unknown> | undefined;

  private async ask(name: string, values: (string | number)[], answer: unknown): Promise<unknown> {
    this.calls.push([name, ...values]);
    await this.until;
    if (this.isGone) throw new Error('connect ECONNREFUSED 10.0.0.1:6379');
    return answer;
  }
}

describe('RedisLimitCounts', () => {
  const lines: string[] = [];
  let clock: ManualClock;
  let redis: FakeScripts;
  let counts: RedisLimitCounts;
  let reconnections: number;

  beforeAll(() =>
    Logger.overrideLogger({ log: fail, error: fail, warn: (line: unknown) => void lines.push(String(line)) }),
  );
  beforeEach(() => {
    lines.length = 0;
    reconnections = 0;
    clock = new ManualClock();
    redis = new FakeScripts();
    const occupied = new OccupiedSlots(clock, LEASE_MS);
    const outage = new RedisOutage(clock, () => void reconnections++, PATIENCE_MS);
    counts = new RedisLimitCounts(redis, outage, new LocalLimitCounts(clock, occupied), occupied, clock, LEASE_MS);
  });
  afterEach(() => counts.onApplicationShutdown());

  const claim = (owner: string, limits = ALL, tokens = 10): Promise<LimitClaimResult> =>
    counts.claim({ subject: 'a', limits, owner, tokens });
  async function enter(
    owner: string,
    limits = ALL,
    tokens = 10,
  ): Promise<Extract<LimitClaimResult, { slot: object }>['slot']> {
    const claimed = await claim(owner, limits, tokens);
    if ('slot' in claimed) return claimed.slot;
    throw new Error(`refused by ${claimed.refusal.limit}`);
  }
  const calls = (): (string | number)[][] => redis.calls.splice(0);
  /** Background work has run. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it.each([
    ['all', ALL, 250, [3, 100, 2, 100]],
    ['requests', { requestsPerMinute: 3 }, 250, [3, 0, 0, 0]],
    ['slots', { concurrency: 2 }, 250, [0, 0, 2, 0]],
    ['tokens', { tokensPerMinute: 300 }, 250, [0, 300, 0, 250]],
  ])('decides with one script: %s', async (_, limits, tokens, figures) => {
    await claim('one', limits, tokens);
    expect(calls()).toEqual([['claim', ...KEYS, ...figures, 'one', LEASE_MS, 7, '', 0, 1]]);
  });

  it.each([
    [1, { limit: 'requestsPerMinute', remaining: 0, resetAtMs: NOW + 60_000, retryAfterMs: 59_999 }],
    [2, { limit: 'tokensPerMinute', remaining: 90, resetAtMs: NOW + 60_000, retryAfterMs: 59_999 }],
    [3, { limit: 'concurrency', remaining: 0, resetAtMs: NOW + 1_001, retryAfterMs: 1_000 }],
  ])('reads a refusal by limit %d, timed by Redis', async (index, refusal) => {
    redis.answer = [index, 3, 10, 4, NOW + 1];
    expect(await claim('one')).toEqual({ refusal });
  });

  it('counts a further call of a counted request as no request', async () => {
    await counts.claim({ subject: 'a', limits: { tokensPerMinute: 9 }, owner: 'one', tokens: 4, isFurther: true });
    expect(calls()).toEqual([['claim', ...KEYS, 0, 9, 0, 4, 'one', LEASE_MS, 7, '', 0, 0]]);
  });

  describe('with a part of the tokens', () => {
    const part = { id: 'k', tokensPerMinute: 5 };
    const share = (): Promise<LimitClaimResult> =>
      counts.claim({ subject: 'a', limits: { tokensPerMinute: 8 }, owner: '', tokens: 1, part });

    it('claims both in one script, and gives both back', async () => {
      const claimed = await share();
      expect(calls()).toEqual([['claim', ...KEYS, 0, 8, 0, 1, '', LEASE_MS, 7, 'k', 5, 1]]);
      if ('slot' in claimed) claimed.slot.release(0);
      expect(calls()).toEqual([['leave', ...KEYS, '', MINUTE, -1, 'k']]);
    });

    it('reads a refusal by it, and continues from its count when Redis does not answer', async () => {
      redis.answer = [4, 5, 5, 4, NOW + 1];
      const refusal = { limit: 'part', remaining: 1, resetAtMs: NOW + 60_000, retryAfterMs: 59_999 };
      expect(await share()).toEqual({ refusal });
      redis.isGone = true;
      expect(await share()).toHaveProperty('slot');
      expect(await share()).toMatchObject({ refusal: { limit: 'part', remaining: 0 } });
    });
  });

  it('sends the end of a call once, with the change of its tokens', async () => {
    const slot = await enter('one');
    calls();
    slot.release(4);
    slot.release(8);
    expect(calls()).toEqual([['leave', ...KEYS, 'one', MINUTE, -6, '']]);
  });

  it.each([
    ['only requests are limited', { requestsPerMinute: 3 }, 4],
    ['the tokens are as reserved', { tokensPerMinute: 100 }, 10],
    ['the tokens are unknown', { tokensPerMinute: 100 }, undefined],
  ])('sends nothing at the end when %s', async (_, limits, used) => {
    const slot = await enter('one', limits);
    calls();
    slot.release(used);
    expect(calls()).toEqual([]);
  });

  it.each([
    ['fails', (): void => void (redis.isGone = true)],
    ['answers nonsense', (): void => void (redis.answer = 'OK')],
    ['answers half', (): void => void (redis.answer = [0, 1, null, 0, NOW])],
  ])('counts in this process while Redis %s, and logs that once, without the address', async (_, breakIt) => {
    breakIt();
    const first = await enter('one', { concurrency: 2 });
    await enter('two', { concurrency: 2 });
    expect(await claim('three', { concurrency: 2 })).toMatchObject({ refusal: { limit: 'concurrency' } });
    first.release();
    await enter('four', { concurrency: 2 });
    expect(calls()).toHaveLength(1);
    expect(lines).toEqual(['Redis does not answer; limits are counted in this process.']);
  });

  it('continues from the last counts of Redis, and counts slots held before', async () => {
    redis.answer = [0, 2, 90, 0, NOW];
    const slot = await enter('one');
    redis.isGone = true;
    expect(await claim('two', ALL, 11)).toMatchObject({ refusal: { limit: 'tokensPerMinute', remaining: 10 } });
    await enter('three', ALL, 5);
    expect(await claim('four', { ...ALL, requestsPerMinute: 9 }, 1)).toMatchObject({
      refusal: { limit: 'concurrency' },
    });
    slot.release(0);
    expect(await claim('five', ALL, 1)).toMatchObject({ refusal: { limit: 'requestsPerMinute' } });
  });

  it('leaves Redis alone for a second, then sends it the released and the occupied slots, and only then claims', async () => {
    const before = await enter('before');
    await enter('kept');
    redis.isGone = true;
    const meanwhile = await enter('meanwhile', { concurrency: 9 });
    before.release(4);
    calls();
    await enter('stays', { concurrency: 9 });
    expect(calls()).toEqual([]);
    redis.isGone = false;
    clock.time += 1_000;
    await enter('after');
    expect(calls()).toEqual([
      ['leave', ...KEYS, 'before', MINUTE, -6, ''],
      ['renew', KEYS[1], LEASE_MS, 7, 'kept', 'meanwhile', 'stays'],
      ['claim', ...KEYS, 3, 100, 2, 10, 'after', LEASE_MS, 7, '', 0, 1],
    ]);
    meanwhile.release();
    expect(calls()).toEqual([['leave', ...KEYS, 'meanwhile', MINUTE, 0, '']]);
    await enter('more');
    expect(calls()).toHaveLength(1);
  });

  it('sends a release again that may not have arrived, but not its tokens', async () => {
    const slot = await enter('one');
    redis.isGone = true;
    slot.release(4);
    await settled();
    redis.isGone = false;
    clock.time += 1_000;
    calls();
    await enter('two');
    expect(calls()[0]).toEqual(['leave', ...KEYS, 'one', MINUTE, 0, '']);
  });

  it('takes back what a slow Redis may still admit of a call that was refused here', async () => {
    const limits = { concurrency: 1 };
    const slot = await enter('one', limits);
    redis.isGone = true;
    expect(await claim('late', limits)).toMatchObject({ refusal: { limit: 'concurrency' } });
    slot.release();
    redis.isGone = false;
    clock.time += 1_000;
    calls();
    await enter('two', limits);
    expect(calls().slice(0, 2)).toEqual([
      ['leave', ...KEYS, 'late', 0, 0, ''],
      ['leave', ...KEYS, 'one', MINUTE, 0, ''],
    ]);
  });

  describe('local counts', () => {
    const limits = { requestsPerMinute: 9, tokensPerMinute: 100 };
    /** @returns lets Redis answer the delayed claim */
    async function enterSlowly(owner: string): Promise<() => Promise<void>> {
      let answer!: () => void;
      redis.until = new Promise<void>((resolve) => (answer = resolve));
      await enter(owner, limits);
      redis.until = undefined;
      return async () => {
        answer();
        await settled();
      };
    }
    const added = (): (string | number)[][] => calls().filter(([name]) => name === 'add');

    it('are added in Redis once it answers, before any other claim, and once', async () => {
      redis.isGone = true;
      await enter('one', limits);
      await enter('two', limits, 20);
      calls();
      redis.isGone = false;
      clock.time += 1_000;
      await enter('three', limits);
      await enter('four', limits);
      expect(calls()).toEqual([
        ['add', KEYS[0], MINUTE, 2, 30, 7],
        ['claim', ...KEYS, 9, 100, 0, 10, 'three', LEASE_MS, 7, '', 0, 1],
        ['claim', ...KEYS, 9, 100, 0, 10, 'four', LEASE_MS, 7, '', 0, 1],
      ]);
    });

    it('are added with their parts, and without the requests of further calls', async () => {
      redis.isGone = true;
      const claims = ['k', 'l', 'k'].map((id) => ({ owner: id, part: { id, tokensPerMinute: 50 } }));
      for (const one of claims) await counts.claim({ subject: 'a', limits, tokens: 4, isFurther: true, ...one });
      calls();
      redis.isGone = false;
      clock.time += 1_000;
      await enter('after', limits);
      expect(added()).toEqual([['add', KEYS[0], MINUTE, 0, 12, 7, 'k', 8, 'l', 4]]);
    });

    it('are added before the tokens of such a call are corrected', async () => {
      redis.isGone = true;
      const slot = await enter('one', limits);
      calls();
      redis.isGone = false;
      clock.time += 1_000;
      slot.release(4);
      expect(calls()).toEqual([
        ['add', KEYS[0], MINUTE, 1, 10, 7],
        ['leave', ...KEYS, 'one', MINUTE, -6, ''],
      ]);
    });

    it('count here in addition to what a late answer reports', async () => {
      redis.answer = [0, 4, 40, 0, NOW + 1];
      const answerLate = await enterSlowly('one');
      for (const owner of ['two', 'three']) await enter(owner, limits);
      await answerLate();
      // Four in Redis, including the late one, and two here: three more fit.
      for (const owner of ['four', 'five', 'six']) await enter(owner, limits, 1);
      expect(await claim('seven', limits, 1)).toMatchObject({ refusal: { limit: 'requestsPerMinute' } });
    });

    it('are kept where Redis does not accept them', async () => {
      redis.isGone = true;
      for (const owner of ['one', 'two']) {
        await enter(owner, limits);
        clock.time += 1_000;
      }
      redis.isGone = false;
      calls();
      await enter('three', limits);
      expect(added()).toEqual([['add', KEYS[0], MINUTE, 2, 20, 7]]);
    });

    it('are not added where a late answer shows that Redis has counted them', async () => {
      const answerLate = await enterSlowly('slow');
      await answerLate();
      clock.time += 1_000;
      calls();
      await enter('after', limits);
      expect(added()).toEqual([]);
    });

    it('are added where a late answer refuses the claim', async () => {
      redis.answer = [1, 9, 40, 0, NOW + 1];
      const answerLate = await enterSlowly('slow');
      await answerLate();
      clock.time += 1_000;
      calls();
      await claim('after', limits);
      expect(added()).toEqual([['add', KEYS[0], MINUTE, 1, 10, 7]]);
    });

    it('are taken back in Redis where the claim was refused here', async () => {
      redis.answer = [0, 9, 40, 0, NOW + 1];
      await enter('ninth', limits);
      let answer!: () => void;
      redis.until = new Promise<void>((resolve) => (answer = resolve));
      expect(await claim('slow', limits)).toMatchObject({ refusal: { limit: 'requestsPerMinute' } });
      redis.until = undefined;
      answer();
      await settled();
      clock.time += 1_000;
      calls();
      await enter('after', limits);
      expect(added()).toEqual([['add', KEYS[0], MINUTE, -1, -10, 7]]);
    });

    it('are sent at the end of the pause even without a further call', async () => {
      redis.isGone = true;
      await enter('one', limits);
      calls();
      redis.isGone = false;
      clock.time += 1_000;
      while (added().length === 0) await settled();
    });
  });

  describe('on a new connection', () => {
    const limits = { requestsPerMinute: 9, tokensPerMinute: 100 };
    const restored = (): (string | number)[][] => calls().filter(([name]) => name === 'restore');
    const process = expect.any(String);

    beforeEach(async () => {
      await settled();
      redis.answer = [0, 5, 60, 0, NOW + 1];
      for (const owner of ['one', 'two']) (await enter(owner, limits)).release(owner === 'one' ? 4 : undefined);
      await settled();
      calls();
      redis.emit('close');
    });

    it.each([
      ['lost', 'second', 1],
      ['there', 'first', 0],
    ])('restores what Redis had counted for this process, once, where the mark is %s', async (_, mark, isLost) => {
      redis.mark = mark;
      redis.emit('connect');
      redis.emit('ready');
      await settled();
      expect(restored()).toEqual([['restore', KEYS[0], MINUTE, 7, process, isLost, 2, 5, 14]]);
      redis.emit('close');
      redis.emit('connect');
      redis.emit('ready');
      await settled();
      expect(restored()).toMatchObject([{ 5: 0 }]);
    });

    it('counts in this process until Redis has them, and then adds its local counts', async () => {
      redis.mark = 'second';
      redis.emit('connect');
      await enter('three', limits);
      expect(calls()).toEqual([]);
      redis.emit('ready');
      await settled();
      expect(calls().map(([name, , , third]) => [name, third])).toEqual([
        ['restore', 7],
        ['add', 1],
      ]);
      await enter('four', limits);
      expect(calls()).toHaveLength(1);
    });

    it('looks again after a failure', async () => {
      redis.emit('connect');
      redis.isGone = true;
      redis.emit('ready');
      await settled();
      redis.isGone = false;
      redis.mark = 'second';
      clock.time += 1_000;
      let found: (string | number)[][] = [];
      while (found.length === 0) {
        await settled();
        found = restored();
      }
      expect(found).toMatchObject([{ 5: 1, 6: 2 }]);
    });

    it('restores nothing of an earlier minute', async () => {
      clock.time += 60_000;
      redis.mark = 'second';
      redis.emit('connect');
      redis.emit('ready');
      await settled();
      expect(restored()).toEqual([]);
    });
  });

  it('requests a new connection when one fails for long, not for every call that waited', async () => {
    redis.isGone = true;
    for (let second = 0; second < 3; second++) {
      expect(reconnections).toBe(0);
      await Promise.all(['a', 'b', 'c', 'd'].map((owner) => claim(owner, { requestsPerMinute: 99 })));
      clock.time += 1_000;
    }
    expect(reconnections).toBe(1);
  });

  it('bounds the releases that it sends later', async () => {
    redis.isGone = true;
    for (let call = 0; call < 1_500; call++) (await enter(`call-${call}`, { concurrency: 1 })).release();
    redis.isGone = false;
    clock.time += 1_000;
    calls();
    await enter('after', { concurrency: 1 });
    const releases = calls().filter(([name]) => name === 'leave');
    expect([releases.length, releases[0]?.[3]]).toEqual([1_000, 'call-500']);
  });
});

function fail(line: unknown): never {
  throw new Error(`logged ${String(line)}`);
}
