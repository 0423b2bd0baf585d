// Goal: few requests begin at once, many some in each turn, by turns of their keys, and what cannot wait is refused.
// Method: requests that note when they began, turns of the event loop one by one.
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
  // Whoever still waits would begin in the turns of another spec.
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

  it('lets so many begin in a turn, at once, and as many in each turn after it', async () => {
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

  it('lets whoever is alone begin at once, again and again', async () => {
    for (let request = 0; request < 20; request++) {
      enter('a');
      expect(begun).toHaveLength(request + 1);
      await setImmediate();
    }
  });

  it('lets a key that comes late begin in the next turn, however many of another wait', async () => {
    enter('many', 2_000);
    await setImmediate();
    enter('late', 2);
    await setImmediate();
    await setImmediate();
    expect(begun.filter((key) => key === 'late')).toHaveLength(2);
    expect(begun.length).toBeLessThanOrEqual(4 * PER_TURN);
  });

  it('refuses what finds no place to wait, and not another key', async () => {
    enter('many', PER_TURN + WAITING_MAX);
    enter('late');
    await setImmediate();
    await setImmediate();
    expect(begun.filter((what) => what === 'service-unavailable').length).toBe(WAITING_MAX / 2);
    expect(begun).toContain('late');
  });
});
