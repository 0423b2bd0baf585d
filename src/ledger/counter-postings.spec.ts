/**
 * A caller that waits for a counter resumes only after a posting that began after its call; a counter is posted once in
 * 50 ms, and the remaining holds are posted too. Statements are answered by the test; jest's timers move the time.
 */
import { CounterPostings } from './counter-postings.js';
import type { CounterName } from './hold.js';
import { POSTED_MAX, type LedgerRepository } from './ledger.repository.js';
import type { Postings } from './postings.js';

const REST_MS = 50;
const TIMEOUT_MS = 2_000;

interface Posting {
  readonly counters: readonly CounterName[];
  readonly answer: (found?: number) => void;
  readonly fail: (error: unknown) => void;
}

function byHand(): { counters: CounterPostings; posted: Posting[]; flushes: () => number } {
  const posted: Posting[] = [];
  let flushes = 0;
  const repository = {
    postCounters: (counters: readonly CounterName[]) =>
      new Promise<number>((resolve, reject) =>
        posted.push({ counters, answer: (found = 0) => resolve(found), fail: reject }),
      ),
  } as unknown as LedgerRepository;
  const postings = { flush: async () => void flushes++ } as unknown as Postings;
  const counters = new CounterPostings(repository, postings, { timeoutMs: TIMEOUT_MS, isBatchFatal: () => true });
  return { counters, posted, flushes: () => flushes };
}

const key = (scopeId: string): CounterName => ({ scope: 'key', scopeId, interval: 'daily' });
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) {
    jest.advanceTimersByTime(0);
    await Promise.resolve();
  }
};
/** Lets time pass, and a moment more: work that a timer starts continues after its tick. */
const pass = async (ms: number): Promise<void> => {
  await jest.advanceTimersByTimeAsync(ms);
  await turns();
  await jest.advanceTimersByTimeAsync(1);
  await turns();
};
/** Whether each has ended, well or not. */
function endsOf(promises: readonly Promise<void>[]): (string | undefined)[] {
  const ends: (string | undefined)[] = promises.map(() => undefined);
  promises.forEach((promise, index) => {
    promise.then(
      () => (ends[index] = 'posted'),
      (error: Error) => (ends[index] = error.message),
    );
  });
  return ends;
}

describe('CounterPostings', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('posts at once, together with what is queued in this process only', async () => {
    const { counters, posted, flushes } = byHand();
    const ends = endsOf([counters.post([key('a'), key('b')])]);
    await turns();
    expect(posted.map(({ counters: named }) => named)).toEqual([[key('a'), key('b')]]);
    expect(flushes()).toBe(1);
    expect(ends).toEqual([undefined]);
    posted[0]!.answer();
    await turns();
    expect(ends).toEqual(['posted']);
  });

  it('passes the counter on without the rest of its input', async () => {
    const { counters, posted } = byHand();
    void counters.post([{ ...key('a'), limit: 5n } as CounterName]);
    await turns();
    expect(posted[0]!.counters).toEqual([key('a')]);
    posted[0]!.answer();
  });

  it('lets all later callers share the next posting, 50 ms after the last one and not before', async () => {
    const { counters, posted } = byHand();
    const first = endsOf([counters.post([key('a')])]);
    await turns();
    const later = endsOf(Array.from({ length: 100 }, () => counters.post([key('a')])));
    posted[0]!.answer();
    await turns();
    expect([first[0], new Set(later)]).toEqual(['posted', new Set([undefined])]);
    await jest.advanceTimersByTimeAsync(REST_MS - 1);
    expect(posted).toHaveLength(1);
    await pass(1);
    expect(posted).toHaveLength(2);
    const last = endsOf([counters.post([key('a')])]);
    posted[1]!.answer();
    await turns();
    expect([new Set(later), last]).toEqual([new Set(['posted']), [undefined]]);
    await pass(REST_MS);
    posted[2]!.answer();
    await turns();
    expect(last).toEqual(['posted']);
  });

  it('delays no other counter while one rests', async () => {
    const { counters, posted } = byHand();
    void counters.post([key('a')]);
    await turns();
    posted[0]!.answer();
    const other = endsOf([counters.post([key('b')])]);
    await turns();
    expect(posted[1]!.counters).toEqual([key('b')]);
    posted[1]!.answer();
    await turns();
    expect(other).toEqual(['posted']);
  });

  it('forgets a counter after its rest', async () => {
    const { counters, posted } = byHand();
    for (let index = 0; index < 10; index++) {
      const done = counters.post([key(`a ${index}`)]);
      await turns();
      posted.at(-1)!.answer();
      await done;
    }
    expect(counters['recentlyPosted'].size).toBe(10);
    await jest.advanceTimersByTimeAsync(REST_MS);
    expect(counters['recentlyPosted'].size).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('continues until nothing is left', async () => {
    const { counters, posted } = byHand();
    const ends = endsOf([counters.post([key('a')])]);
    for (const found of [POSTED_MAX, POSTED_MAX, 7]) {
      await turns();
      expect(ends).toEqual([undefined]);
      posted.at(-1)!.answer(found);
    }
    await turns();
    expect(ends).toEqual(['posted']);
    expect(posted).toHaveLength(3);
  });

  it('leaves what is not posted in time to the next caller, and runs one statement at a time', async () => {
    const { counters, posted } = byHand();
    const ends = endsOf([counters.post([key('a')])]);
    await turns();
    await pass(TIMEOUT_MS);
    expect(ends).not.toEqual([undefined]);
    posted[0]!.answer(POSTED_MAX);
    await turns();
    expect(posted).toHaveLength(1);
    const again = endsOf([counters.post([key('a')])]);
    await turns();
    expect(posted).toHaveLength(2);
    posted[1]!.answer();
    await turns();
    expect(again).toEqual(['posted']);
  });

  it('fails all waiting callers with the error, and posts again for later ones', async () => {
    const { counters, posted } = byHand();
    const ends = endsOf([counters.post([key('a')]), counters.post([key('b')])]);
    await turns();
    posted[0]!.fail(new Error('away'));
    await turns();
    expect(ends).toEqual(['away', 'away']);
    const again = endsOf([counters.post([key('a')])]);
    await pass(REST_MS);
    posted[1]!.answer();
    await turns();
    expect(again).toEqual(['posted']);
  });
});
