// No answer is used when it is too old, a key in use never waits, one look-up at a time per key, and a change is never
// undone by an answer under way (docs/contribute/threat-model.md#strangers). Look-ups are answered by the test.
import { Clock } from '../core/time.js';
import type { ActiveKey } from './active-key.js';
import { AGE_MAX_MS, REFRESH_AGE_MS } from '../shared/fresh-cache.js';
import { KeyCache } from './key-cache.js';
import type { KeyLookups } from './key-lookups.js';

class ManualClock extends Clock {
  time = 1_000_000;
  override now(): number {
    return this.time;
  }
}

const key: ActiveKey = {
  caller: { accountId: 'account', workspaceId: 'workspace', keyHash: 'hash', kind: 'inference', userId: null },
  expiresAtMs: null,
};

interface Question {
  readonly answer: (key: ActiveKey | null) => void;
  readonly fail: (error: Error) => void;
}

describe('KeyCache', () => {
  let clock: ManualClock;
  let questions: Question[];
  let cache: KeyCache;

  beforeEach(() => {
    clock = new ManualClock();
    questions = [];
    const lookups: Pick<KeyLookups, 'find'> = {
      find: () => new Promise((answer, fail) => questions.push({ answer, fail })),
    };
    cache = new KeyCache(lookups as KeyLookups, clock);
  });

  async function learn(answer: ActiveKey | null): Promise<void> {
    const found = cache.find('hash');
    questions.at(-1)!.answer(answer);
    await found;
  }

  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };

  it('knows nothing at first', () => {
    expect(cache.peek('hash')).toBeUndefined();
  });

  it('remembers that a key was valid before, however old the answer is, until a newer one refutes it', async () => {
    expect(cache.wasKnown('hash')).toBe(false);
    await learn(key);
    clock.time += 3_600_000;
    expect([cache.wasKnown('hash'), cache.peek('hash')]).toEqual([true, undefined]);
    await learn(null);
    expect(cache.wasKnown('hash')).toBe(false);
    clock.time += AGE_MAX_MS;
    await learn(key);
    // A key that was changed, renamed for example, is no guess.
    cache.forget('hash');
    expect([cache.wasKnown('hash'), cache.peek('hash')]).toEqual([true, undefined]);
    await learn(null);
    expect(cache.wasKnown('hash')).toBe(false);
  });

  it.each([
    ['a key', key],
    ['that there is no such key', null],
  ])('remembers %s until it is too old', async (_, answer) => {
    await learn(answer);
    clock.time += AGE_MAX_MS - 1;
    expect(cache.peek('hash')).toBe(answer);
    clock.time += 1;
    expect(cache.peek('hash')).toBeUndefined();
  });

  it('forgets within the five seconds that a revocation may take', () => {
    expect(AGE_MAX_MS).toBeLessThan(5_000);
  });

  it('does not use an answer from the future, after the clock was set back', async () => {
    await learn(key);
    clock.time -= 1;
    expect(cache.peek('hash')).toBeUndefined();
  });

  it('counts age from the look-up, not from its answer', async () => {
    const found = cache.find('hash');
    clock.time += AGE_MAX_MS;
    questions[0]!.answer(key);
    expect(await found).toBe(key);
    expect(cache.peek('hash')).toBeUndefined();
  });

  it('looks up once for any number of callers', async () => {
    const finds = Array.from({ length: 500 }, () => cache.find('hash'));
    questions[0]!.answer(key);
    expect(new Set(await Promise.all(finds))).toEqual(new Set([key]));
    expect(questions).toHaveLength(1);
  });

  it('refreshes a key in use without letting anyone wait', async () => {
    await learn(key);
    clock.time += REFRESH_AGE_MS - 1;
    cache.peek('hash');
    expect(questions).toHaveLength(1);
    clock.time += 1;
    for (let use = 0; use < 10; use++) expect(cache.peek('hash')).toBe(key);
    expect(questions).toHaveLength(2);
    questions[1]!.answer({ ...key, expiresAtMs: 7 });
    await settle();
    clock.time += AGE_MAX_MS - 1;
    expect(cache.peek('hash')).toEqual({ ...key, expiresAtMs: 7 });
  });

  it('learns of a revocation by refreshing', async () => {
    await learn(key);
    clock.time += REFRESH_AGE_MS;
    cache.peek('hash');
    questions[1]!.answer(null);
    await settle();
    expect(cache.peek('hash')).toBeNull();
  });

  it('uses the cached answer while refreshing fails, tries again after a pause, and in the end reports the failure', async () => {
    await learn(key);
    clock.time += REFRESH_AGE_MS;
    cache.peek('hash');
    questions[1]!.fail(new Error('gone'));
    await settle();
    expect(cache.peek('hash')).toBe(key);
    expect(questions).toHaveLength(2);
    clock.time += 500;
    expect(cache.peek('hash')).toBe(key);
    expect(questions).toHaveLength(3);
    questions[2]!.fail(new Error('gone'));
    await settle();
    clock.time += AGE_MAX_MS;
    const refused = expect(cache.find('hash')).rejects.toThrow('gone');
    questions[3]!.fail(new Error('gone'));
    await refused;
  });

  it('looks up again after a failure', async () => {
    const refused = expect(cache.find('hash')).rejects.toThrow('gone');
    questions[0]!.fail(new Error('gone'));
    await refused;
    await learn(key);
    expect(cache.peek('hash')).toBe(key);
  });

  it.each([
    ['a key', key],
    ['an absence', null],
  ])('forgets %s on request', async (_, answer) => {
    await learn(answer);
    cache.forget('hash');
    expect(cache.peek('hash')).toBeUndefined();
  });

  it('does not cache an answer that was under way when the key changed', async () => {
    const early = cache.find('hash');
    cache.forget('hash');
    const late = cache.find('hash');
    questions[1]!.answer(null);
    expect(await late).toBeNull();
    questions[0]!.answer(key);
    expect(await early).toBe(key);
    expect(cache.peek('hash')).toBeNull();
  });

  it('lets no number of unknown keys push out a known one', async () => {
    await learn(key);
    for (let index = 0; index < 50_000; index++) {
      const found = cache.find(`stranger ${index}`);
      questions.pop()!.answer(null);
      await found;
    }
    expect(cache.peek('hash')).toBe(key);
  });
});
