// Few requests start at once, many some in each turn, alternating between keys, and requests beyond the queue are
// refused. Requests that record when they started, turns of the event loop one by one.
import { setImmediate } from 'node:timers/promises';
import { EntryTurns } from './entry-turns.js';

const PER_TURN = 8;
const WAITING_MAX = 10_000;

describe('EntryTurns', () => {
  const begun: string[] = [];
  let turns: EntryTurns;
  beforeEach(() => {
    begun.length = 0;
    turns = new EntryTurns();
  });
  // A waiting request would start in the turns of another spec.
  afterEach(async () => {
    for (let before = -1; before !== begun.length;) {
      before = begun.length;
      await setImmediate();
      await setImmediate();
    }
  });

  function enter(key: string, count = 1): void {
    for (let index = 0; index < count; index++) {
      const waits = turns.enter(key);
      if (waits)
        waits.then(() => begun.push(key), (error: { kind: string }) => begun.push(error.kind)); // oxfmt-ignore
      else begun.push(key);
    }
  }

  it('starts a number in the first turn, at once, and as many in each turn after it', async () => {
    enter('a', PER_TURN + 3);
    expect(begun).toHaveLength(PER_TURN);
    await setImmediate();
    expect(begun).toHaveLength(PER_TURN + 3);
    enter('a', 2 * PER_TURN);
    const counts = [begun.length];
    for (let turn = 0; turn < 3; turn++) {
      await setImmediate();
      counts.push(begun.length);
    }
    expect(
      counts
        .map((count, turn) => count - (counts[turn - 1] ?? 0))
        .slice(1)
        .every((step) => step <= PER_TURN),
    ).toBe(true);
    expect(begun).toHaveLength(3 * PER_TURN + 3);
  });

  it('starts a single request at once, again and again', async () => {
    for (let request = 0; request < 20; request++) {
      enter('a');
      expect(begun).toHaveLength(request + 1);
      await setImmediate();
    }
  });

  it('starts a late key in the next turn, however many of another wait', async () => {
    enter('many', 2_000);
    await setImmediate();
    enter('late', 2);
    await setImmediate();
    await setImmediate();
    expect(begun.filter((key) => key === 'late')).toHaveLength(2);
    expect(begun.length).toBeLessThanOrEqual(4 * PER_TURN);
  });

  it('refuses a request of a key whose queue is full, but not another key', async () => {
    enter('many', PER_TURN + WAITING_MAX);
    enter('late');
    await setImmediate();
    await setImmediate();
    expect(begun.filter((what) => what === 'service-unavailable').length).toBe(WAITING_MAX / 2);
    expect(begun).toContain('late');
  });
});
