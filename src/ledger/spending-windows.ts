import { Injectable } from '@nestjs/common';
import type { PicoUsd } from '../core/money/credits.js';
import { Clock, type Interval } from '../core/time.js';
import type { SpendingWindowEntity } from './spending-window.entity.js';
import { WindowsRepository } from './windows.repository.js';

/** What a counter says in its current window. */
export interface Spent {
  readonly used: PicoUsd;
  /** Reserved for calls that are under way. */
  readonly held: PicoUsd;
}

/** One kind of spending by interval, each in its current UTC window; `lifetime` is all time. */
export type SpentByInterval = Readonly<Record<Interval, Spent>>;

/** What one key has spent. */
export interface KeySpending {
  /** Credits of the account. */
  readonly credits: SpentByInterval;
  /** Through the caller's own provider credentials. */
  readonly byok: SpentByInterval;
}

const NOTHING: Spent = { used: 0n, held: 0n };
const NOWHERE: SpentByInterval = { daily: NOTHING, weekly: NOTHING, monthly: NOTHING, lifetime: NOTHING };

/** The spending of a key that has no window yet. */
export const UNSPENT: KeySpending = { credits: NOWHERE, byok: NOWHERE };

/** Reads the counters of the books. Never writes; a window without a row has nothing in it. */
@Injectable()
export class SpendingWindows {
  constructor(
    private readonly windows: WindowsRepository,
    private readonly clock: Clock,
  ) {}

  /** By key hash, for every hash asked. */
  async ofKeys(accountId: string, keyHashes: readonly string[]): Promise<ReadonlyMap<string, KeySpending>> {
    const rows = keyHashes.length === 0 ? [] : await this.windows.listOfKeys(accountId, keyHashes, this.clock.now());
    return foldKeyWindows(keyHashes, rows);
  }

  async ofKey(accountId: string, keyHash: string): Promise<KeySpending> {
    const spending = await this.ofKeys(accountId, [keyHash]);
    return spending.get(keyHash) ?? UNSPENT;
  }
}

/** Rows of current windows, gathered by key. */
export function foldKeyWindows(
  keyHashes: readonly string[],
  rows: readonly SpendingWindowEntity[],
): ReadonlyMap<string, KeySpending> {
  const spending = new Map(keyHashes.map((hash) => [hash, UNSPENT]));
  for (const { scope, scopeId, interval, used, held } of rows) {
    const before = spending.get(scopeId);
    if (!before) continue;
    const kind = scope === 'key_byok' ? 'byok' : 'credits';
    spending.set(scopeId, { ...before, [kind]: { ...before[kind], [interval]: { used, held } } });
  }
  return spending;
}
