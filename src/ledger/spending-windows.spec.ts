// The rows of current windows become the figures of the right key, kind and interval; a missing row is zero. A double
// of the repository returns fixed rows and records its calls.
import { Clock } from '../core/time.js';
import type { SpendingWindowEntity } from './spending-window.entity.js';
import type { Postings } from './postings.js';
import { SpendingWindows, NO_SPENDING } from './spending-windows.js';
import type { SpendingWindowsRepository } from './spending-windows.repository.js';

const AHEAD_MS = 3_600_000;
const USD = 1_000_000_000_000n;

class MovedClock extends Clock {
  override readonly aheadMs = AHEAD_MS;

  override now(): never {
    throw new Error('The database supplies the time.');
  }
}

const NO_POSTINGS = { flush: async () => undefined } as unknown as Postings;

function windowsOver(rows: Partial<SpendingWindowEntity>[]): { windows: SpendingWindows; queries: unknown[][] } {
  const queries: unknown[][] = [];
  const repository: Pick<SpendingWindowsRepository, 'listCurrent'> = {
    listCurrent: async (...question) => {
      queries.push(question);
      return rows as SpendingWindowEntity[];
    },
  };
  return {
    windows: new SpendingWindows(repository as SpendingWindowsRepository, NO_POSTINGS, new MovedClock()),
    queries,
  };
}

describe('SpendingWindows', () => {
  it('queries once for all keys, as far ahead of the time as the clock is', async () => {
    const { windows, queries } = windowsOver([]);
    await windows.ofKeys('account', ['a', 'b']);
    expect(queries).toEqual([['account', 'key', ['a', 'b'], AHEAD_MS]]);
  });

  it('sends no query for an empty list of keys', async () => {
    const { windows, queries } = windowsOver([]);
    expect((await windows.ofKeys('account', [])).size).toBe(0);
    expect(queries).toEqual([]);
  });

  it('reports zero for a key without rows', async () => {
    expect(await windowsOver([]).windows.ofKey('account', 'a')).toEqual(NO_SPENDING);
  });

  it('keeps keys, kinds and intervals apart', async () => {
    const { windows } = windowsOver([
      { scopeId: 'a', interval: 'daily', used: 1n, held: 2n, byokUsed: 4n, byokHeld: 5n },
      { scopeId: 'a', interval: 'lifetime', used: 3n, held: 0n, byokUsed: 0n, byokHeld: 0n },
      { scopeId: 'b', interval: 'monthly', used: 6n, held: 0n, byokUsed: 0n, byokHeld: 7n },
      { scopeId: 'stranger', interval: 'daily', used: 8n, held: 8n, byokUsed: 8n, byokHeld: 8n },
    ]);
    const nothing = { used: 0n, held: 0n };
    expect(Object.fromEntries(await windows.ofKeys('account', ['a', 'b', 'c']))).toEqual({
      a: {
        credits: { daily: { used: 1n, held: 2n }, weekly: nothing, monthly: nothing, lifetime: { used: 3n, held: 0n } },
        byok: { daily: { used: 4n, held: 5n }, weekly: nothing, monthly: nothing, lifetime: nothing },
      },
      b: {
        credits: { ...NO_SPENDING.credits, monthly: { used: 6n, held: 0n } },
        byok: { ...NO_SPENDING.byok, monthly: { used: 0n, held: 7n } },
      },
      c: NO_SPENDING,
    });
  });

  it('returns the counter of the account, and zero where there is none', async () => {
    const { windows, queries } = windowsOver([{ limit: 10n, used: 3n, held: 2n, byokUsed: 1n, byokHeld: 1n }]);
    expect(await windows.ofAccount('account')).toEqual({ limit: 10n, used: 3n, held: 2n });
    expect(queries).toEqual([['account', 'account', ['account'], AHEAD_MS]]);
    expect(await windowsOver([]).windows.ofAccount('account')).toEqual({ limit: 0n, used: 0n, held: 0n });
  });

  it('returns the counters of a workspace by interval', async () => {
    const row = { scopeId: 'home', interval: 'weekly', used: 1n, held: 2n, byokUsed: 3n, byokHeld: 4n } as const;
    const { windows, queries } = windowsOver([row, { ...row, scopeId: 'stranger', interval: 'daily' }]);
    expect(await windows.ofWorkspace('account', 'home')).toEqual({
      credits: { ...NO_SPENDING.credits, weekly: { used: 1n, held: 2n } },
      byok: { ...NO_SPENDING.byok, weekly: { used: 3n, held: 4n } },
    });
    expect(queries).toEqual([['account', 'workspace', ['home'], AHEAD_MS]]);
    expect(await windowsOver([]).windows.ofWorkspace('account', 'home')).toEqual(NO_SPENDING);
  });

  it('counts free requests in whole numbers', async () => {
    const { windows, queries } = windowsOver([{ used: 7n * USD }]);
    expect(await windows.countFreeRequests('account')).toBe(7);
    expect(queries).toEqual([['account', 'free_requests', ['account'], AHEAD_MS]]);
    expect(await windowsOver([]).windows.countFreeRequests('account')).toBe(0);
  });
});
