// Goal: the rows of current windows become the figures of the right key, kind and interval; what has no row is nothing.
// Method: rows by hand, a repository that hands them out and notes how it was asked.
import { Clock } from '../core/time.js';
import type { SpendingWindowEntity } from './spending-window.entity.js';
import { SpendingWindows, UNSPENT } from './spending-windows.js';
import type { WindowsRepository } from './windows.repository.js';

const NOW = Date.UTC(2026, 10, 21);

class StoppedClock extends Clock {
  override now(): number {
    return NOW;
  }
}

function windowsOver(rows: Partial<SpendingWindowEntity>[]): { windows: SpendingWindows; asked: unknown[][] } {
  const asked: unknown[][] = [];
  const repository: Pick<WindowsRepository, 'listOfKeys'> = {
    listOfKeys: async (...question) => {
      asked.push(question);
      return rows as SpendingWindowEntity[];
    },
  };
  return { windows: new SpendingWindows(repository as WindowsRepository, new StoppedClock()), asked };
}

describe('SpendingWindows', () => {
  it('asks once for all keys, at the present time', async () => {
    const { windows, asked } = windowsOver([]);
    await windows.ofKeys('account', ['a', 'b']);
    expect(asked).toEqual([['account', ['a', 'b'], NOW]]);
  });

  it('does not ask about no keys', async () => {
    const { windows, asked } = windowsOver([]);
    expect((await windows.ofKeys('account', [])).size).toBe(0);
    expect(asked).toEqual([]);
  });

  it('gives a key without rows nothing', async () => {
    expect(await windowsOver([]).windows.ofKey('account', 'a')).toEqual(UNSPENT);
  });

  it('keeps keys, kinds and intervals apart', async () => {
    const { windows } = windowsOver([
      { scope: 'key', scopeId: 'a', interval: 'daily', used: 1n, held: 2n },
      { scope: 'key', scopeId: 'a', interval: 'lifetime', used: 3n, held: 0n },
      { scope: 'key_byok', scopeId: 'a', interval: 'daily', used: 4n, held: 5n },
      { scope: 'key', scopeId: 'b', interval: 'monthly', used: 6n, held: 0n },
    ]);
    const nothing = { used: 0n, held: 0n };
    expect(Object.fromEntries(await windows.ofKeys('account', ['a', 'b', 'c']))).toEqual({
      a: {
        credits: { daily: { used: 1n, held: 2n }, weekly: nothing, monthly: nothing, lifetime: { used: 3n, held: 0n } },
        byok: { daily: { used: 4n, held: 5n }, weekly: nothing, monthly: nothing, lifetime: nothing },
      },
      b: { ...UNSPENT, credits: { ...UNSPENT.credits, monthly: { used: 6n, held: 0n } } },
      c: UNSPENT,
    });
  });
});
