/**
 * Concurrent members share statements in their order, one bad member fails alone, and no member waits longer than one
 * time-out for a silent database, however many wait. Batches are answered by the test; jest's timers move the time.
 */
import { OwnTimers } from '../../test/support/own-timers.js';
import { GatewayError } from '../core/errors.js';
import { StatementBatcher } from './statement-batcher.js';

const TIMEOUT_MS = 2_000;
const BATCH_MAX = 64;
const SHARE_MAX = 5_000;
const BATCH_INTERVAL_MS = 6;

interface Batch {
  readonly members: readonly number[];
  readonly answer: (results?: readonly string[]) => void;
  readonly fail: (error: unknown) => void;
}

class FatalError extends Error {}

function manualBatcher(): { batcher: StatementBatcher<number, string>; batches: Batch[] } {
  const batches: Batch[] = [];
  const batcher = new StatementBatcher<number, string>(
    (members) =>
      new Promise((resolve, reject) =>
        batches.push({ members, fail: reject, answer: (results = members.map(nameOf)) => resolve(results) }),
      ),
    {
      timeoutMs: TIMEOUT_MS,
      isBatchFatal: (error) => error instanceof FatalError || error instanceof GatewayError,
    },
  );
  return { batcher, batches };
}

const nameOf = (member: number): string => `result ${member}`;
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
/** Runs everything that waits only for the end of a turn of the event loop. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) {
    jest.advanceTimersByTime(0);
    await Promise.resolve();
  }
};
/** After a large batch the next one leaves after this interval. */
const gathered = (): Promise<void> => jest.advanceTimersByTimeAsync(BATCH_INTERVAL_MS).then(turns);
/** Submits each member while the ones before are on their way: the first leaves alone. */
async function submitAll(
  batcher: StatementBatcher<number, string>,
  members: readonly number[],
): Promise<Promise<string>[]> {
  const first = batcher.submit(members[0]!);
  await turns();
  return [first, ...members.slice(1).map((member) => batcher.submit(member))];
}
/** The outcome of each: the result, the error, or undefined while it waits. */
function outcomes(promises: readonly Promise<string>[]): unknown[] {
  const seen: unknown[] = promises.map(() => undefined);
  promises.forEach((promise, index) => {
    promise.then(
      (result) => (seen[index] = result),
      (error: unknown) => (seen[index] = error),
    );
  });
  return seen;
}

describe('StatementBatcher', () => {
  let timers: OwnTimers;
  beforeEach(() => {
    jest.useFakeTimers();
    timers = new OwnTimers('/statement-batcher');
  });
  afterEach(async () => {
    // Let pending turns end first; a leftover timer would delay the end of the process.
    await turns();
    expect(timers.count).toBe(0);
    timers.end();
    jest.useRealTimers();
  });

  it('sends members of one turn together', async () => {
    const { batcher, batches } = manualBatcher();
    const results = range(0, 3).map((member) => batcher.submit(member));
    expect(batches).toHaveLength(0);
    await turns();
    expect(batches.map(({ members }) => members)).toEqual([range(0, 3)]);
    batches[0]!.answer();
    expect(await Promise.all(results)).toEqual(range(0, 3).map(nameOf));
  });

  it('sends at the end of the turn while no batch is under way, then later members together, at most 64', async () => {
    const { batcher, batches } = manualBatcher();
    const results = await submitAll(batcher, range(0, 1 + BATCH_MAX + 1));
    expect(batches.map(({ members }) => members)).toEqual([[0]]);
    batches[0]!.answer();
    await turns();
    expect(batches[1]!.members).toEqual(range(1, 1 + BATCH_MAX));
    expect(batches).toHaveLength(2);
    batches[1]!.answer();
    await gathered();
    expect(batches[2]!.members).toEqual([1 + BATCH_MAX]);
    batches[2]!.answer();
    expect(await Promise.all(results)).toEqual(range(0, 2 + BATCH_MAX).map(nameOf));
  });

  it('sends exactly 64 in one', async () => {
    const { batcher, batches } = manualBatcher();
    const results = await submitAll(batcher, range(0, 1 + BATCH_MAX));
    batches[0]!.answer();
    await turns();
    expect(batches[1]!.members).toHaveLength(BATCH_MAX);
    batches[1]!.answer();
    await Promise.all(results);
    expect(batches).toHaveLength(2);
  });

  it('sends the next batch 6 ms after one of four or more at the soonest, unless it is full', async () => {
    const { batcher, batches } = manualBatcher();
    const results = await submitAll(batcher, range(0, 5));
    batches[0]!.answer();
    await turns();
    results.push(batcher.submit(5));
    batches[1]!.answer();
    await jest.advanceTimersByTimeAsync(BATCH_INTERVAL_MS - 1);
    results.push(batcher.submit(6));
    expect(batches).toHaveLength(2);
    await gathered();
    expect(batches[2]!.members).toEqual([5, 6]);
    results.push(...range(7, 7 + BATCH_MAX).map((member) => batcher.submit(member)));
    batches[2]!.answer();
    await turns();
    expect(batches[3]!.members).toEqual(range(7, 7 + BATCH_MAX));
    batches[3]!.answer();
    expect(await Promise.all(results)).toEqual(range(0, 7 + BATCH_MAX).map(nameOf));
  });

  it('waits no longer after a batch whose answer took that long', async () => {
    const { batcher, batches } = manualBatcher();
    const results = await submitAll(batcher, range(0, 5));
    batches[0]!.answer();
    await turns();
    results.push(batcher.submit(5));
    await jest.advanceTimersByTimeAsync(BATCH_INTERVAL_MS);
    batches[1]!.answer();
    await turns();
    expect(batches[2]!.members).toEqual([5]);
    batches[2]!.answer();
    expect(await Promise.all(results)).toEqual(range(0, 6).map(nameOf));
  });

  it('lets members of one owner delay no other, however many wait', async () => {
    const { batcher, batches } = manualBatcher();
    const results = await submitAll(batcher, range(0, 3 * BATCH_MAX));
    results.push(...range(900, 903).map((member) => batcher.submit(member, 'victim')));
    batches[0]!.answer();
    await turns();
    expect(batches[1]!.members).toHaveLength(BATCH_MAX);
    expect(batches[1]!.members.filter((member) => member >= 900)).toEqual([900, 901, 902]);
    for (let index = 1; index < batches.length; index++) {
      batches[index]!.answer();
      await gathered();
    }
    expect(await Promise.all(results)).toEqual([...range(0, 3 * BATCH_MAX), ...range(900, 903)].map(nameOf));
  });

  it('sends again after it was idle', async () => {
    const { batcher, batches } = manualBatcher();
    for (const member of range(0, 3)) {
      const result = batcher.submit(member);
      await turns();
      expect(batches[member]!.members).toEqual([member]);
      batches[member]!.answer();
      expect(await result).toBe(nameOf(member));
      await turns();
    }
  });

  it('gives each member its own result, in their order', async () => {
    const { batcher, batches } = manualBatcher();
    const results = await submitAll(batcher, range(0, 4));
    batches[0]!.answer(['a']);
    await turns();
    batches[1]!.answer(['b', 'c', 'd']);
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('tries a failed batch again member by member, in their order, before other members', async () => {
    const { batcher, batches } = manualBatcher();
    const seen = outcomes(await submitAll(batcher, range(0, 4)));
    batches[0]!.answer();
    await turns();
    const later = outcomes([batcher.submit(9)]);
    batches[1]!.fail(new Error('one of them is bad'));
    await turns();
    expect(batches[2]!.members).toEqual([1]);
    batches[2]!.answer();
    await turns();
    expect(batches[3]!.members).toEqual([2]);
    const bad = new Error('this one');
    batches[3]!.fail(bad);
    await turns();
    expect(batches[4]!.members).toEqual([3]);
    batches[4]!.answer();
    await turns();
    expect(seen).toEqual([nameOf(0), nameOf(1), bad, nameOf(3)]);
    expect(batches[5]!.members).toEqual([9]);
    batches[5]!.answer();
    await turns();
    expect(later).toEqual([nameOf(9)]);
    expect(batches).toHaveLength(6);
  });

  it('does not retry a member that failed alone', async () => {
    const { batcher, batches } = manualBatcher();
    const result = batcher.submit(0);
    await turns();
    const error = new Error('bad');
    batches[0]!.fail(error);
    await expect(result).rejects.toBe(error);
    await turns();
    expect(batches).toHaveLength(1);
  });

  it('treats a synchronous throw like any other failure', async () => {
    const error = new Error('thrown');
    const batcher = new StatementBatcher<number, string>(
      () => {
        throw error;
      },
      { timeoutMs: TIMEOUT_MS, isBatchFatal: () => false },
    );
    const settled = Promise.allSettled([batcher.submit(0), batcher.submit(1)]);
    await turns();
    await expect(settled).resolves.toEqual([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ]);
  });

  it('does not retry a batch that failed fatally, and sends the next', async () => {
    const { batcher, batches } = manualBatcher();
    const seen = outcomes(await submitAll(batcher, range(0, 3)));
    batches[0]!.answer();
    await turns();
    const next = outcomes([batcher.submit(3)]);
    const fatal = new FatalError();
    batches[1]!.fail(fatal);
    await turns();
    expect(seen).toEqual([nameOf(0), fatal, fatal]);
    expect(batches[2]!.members).toEqual([3]);
    batches[2]!.answer();
    await turns();
    expect(next).toEqual([nameOf(3)]);
  });

  it('stops going member by member once that has failed fatally', async () => {
    const { batcher, batches } = manualBatcher();
    const seen = outcomes(await submitAll(batcher, range(0, 5)));
    batches[0]!.answer();
    await turns();
    batches[1]!.fail(new Error('one of them is bad'));
    await turns();
    batches[2]!.answer();
    await turns();
    const fatal = new FatalError();
    batches[3]!.fail(fatal);
    await turns();
    expect(seen).toEqual([nameOf(0), nameOf(1), fatal, fatal, fatal]);
    expect(batches).toHaveLength(4);
  });

  describe('without an answer', () => {
    const expectUnavailable = (seen: readonly unknown[]): void => {
      for (const error of seen) {
        expect(error).toBeInstanceOf(GatewayError);
        expect(error).toMatchObject({ kind: 'service-unavailable', detail: { retryAfterMs: 1_000 } });
      }
    };

    it('fails at the time-out, not before', async () => {
      const { batcher } = manualBatcher();
      const seen = outcomes([batcher.submit(0)]);
      await jest.advanceTimersByTimeAsync(TIMEOUT_MS - 1);
      expect(seen).toEqual([undefined]);
      await jest.advanceTimersByTimeAsync(1);
      expectUnavailable(seen);
    });

    it('lets no member wait longer than one time-out, however many batches wait', async () => {
      const { batcher, batches } = manualBatcher();
      const seen = outcomes(range(0, 5 * BATCH_MAX).map((member) => batcher.submit(member)));
      await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
      expect(seen.filter((outcome) => outcome === undefined)).toHaveLength(0);
      expectUnavailable(seen);
      expect(batches).toHaveLength(1);
    });

    it('fails exactly the members that waited during a failure that took as long', async () => {
      const { batcher, batches } = manualBatcher();
      const slow = outcomes(await submitAll(batcher, [0, 1]));
      await jest.advanceTimersByTimeAsync(TIMEOUT_MS - 1);
      const fatal = new FatalError();
      batches[0]!.fail(fatal);
      await turns();
      expect(slow).toEqual([fatal, fatal]);
      const quick = outcomes(await submitAll(batcher, [2, 3]));
      batches[1]!.fail(fatal);
      await turns();
      expect(quick).toEqual([fatal, undefined]);
      batches[2]!.answer();
      await turns();
      expect(quick).toEqual([fatal, nameOf(3)]);
    });

    it('sends again for later members', async () => {
      const { batcher, batches } = manualBatcher();
      const seen = outcomes([batcher.submit(0), batcher.submit(1)]);
      await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
      expectUnavailable(seen);
      const next = batcher.submit(2);
      await turns();
      expect(batches.at(-1)!.members).toEqual([2]);
      batches.at(-1)!.answer();
      expect(await next).toBe(nameOf(2));
    });

    it('ignores an answer or a failure that comes too late', async () => {
      const { batcher, batches } = manualBatcher();
      const seen = outcomes([batcher.submit(0)]);
      await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
      const next = outcomes([batcher.submit(1)]);
      batches[0]!.answer(['late']);
      await turns();
      expectUnavailable(seen);
      expect(next).toEqual([undefined]);
      await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
      batches[1]!.fail(new Error('late'));
      await turns();
      expectUnavailable(next);
    });
  });

  it('limits the waiting members of one owner, and still accepts others', async () => {
    const { batcher, batches } = manualBatcher();
    const waiting = await submitAll(batcher, range(0, 1 + SHARE_MAX));
    await expect(batcher.submit(-1)).rejects.toMatchObject({ kind: 'service-unavailable' });
    waiting.push(batcher.submit(1 + SHARE_MAX, 'another'));
    for (let index = 0; index < batches.length; index++) {
      batches[index]!.answer();
      await gathered();
    }
    expect(await Promise.all(waiting)).toEqual(range(0, 2 + SHARE_MAX).map(nameOf));
    const next = batcher.submit(0);
    await gathered();
    batches.at(-1)!.answer();
    await next;
  });
});
