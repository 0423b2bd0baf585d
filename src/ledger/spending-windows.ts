import { Injectable } from '@nestjs/common';
import type { SubjectScope } from '../accounts/budget-subjects.js';
import { PICO_PER_USD, type PicoUsd } from '../core/money/credits.js';
import { Clock, type Interval } from '../core/time.js';
import { Postings } from './postings.js';
import type { SpendingScope, SpendingWindowEntity } from './spending-window.entity.js';
import { SpendingWindowsRepository } from './spending-windows.repository.js';

/** State of a counter in its current window. */
export interface CounterState {
  readonly used: PicoUsd;
  /** Held for calls that are under way. */
  readonly held: PicoUsd;
}

/** Spend of one kind by interval, each in its current UTC window; `lifetime` is all time. */
export type SpentByInterval = Readonly<Record<Interval, CounterState>>;

/** The spending of one key, or of another owner of budgets. */
export interface KeySpending {
  /** Credits of the account. */
  readonly credits: SpentByInterval;
  /** Through the caller's own provider credentials. */
  readonly byok: SpentByInterval;
  /** When its last generation was held; absent: there was none, or the owner is no key. */
  readonly lastUsedAt?: Date | undefined;
}

/** The counter that every charge of the account goes through. */
export interface AccountSpending extends CounterState {
  /** All credits that were ever added; `null` is unlimited. */
  readonly limit: PicoUsd | null;
}

const NOTHING: CounterState = { used: 0n, held: 0n };
const NOWHERE: SpentByInterval = { daily: NOTHING, weekly: NOTHING, monthly: NOTHING, lifetime: NOTHING };

/** The spending of a key that has no window yet. */
export const NO_SPENDING: KeySpending = { credits: NOWHERE, byok: NOWHERE };

/**
 * Reads the counters of the ledger, including everything this replica has settled by now. A window without a row is
 * empty. What others settled in the last tenth of a second is still shown as held.
 */
@Injectable()
export class SpendingWindows {
  constructor(
    private readonly windows: SpendingWindowsRepository,
    private readonly postings: Postings,
    private readonly clock: Clock,
  ) {}

  /** Returns an entry for every given hash. */
  async ofKeys(accountId: string, keyHashes: readonly string[]): Promise<ReadonlyMap<string, KeySpending>> {
    return groupWindowsByKey(keyHashes, keyHashes.length === 0 ? [] : await this.list(accountId, 'key', keyHashes));
  }

  async ofKey(accountId: string, keyHash: string): Promise<KeySpending> {
    const spending = await this.ofKeys(accountId, [keyHash]);
    return spending.get(keyHash) ?? NO_SPENDING;
  }

  /** The spending of users, members or tags, by their `scopeId`. */
  async ofSubjects(
    accountId: string,
    scope: SubjectScope,
    scopeIds: readonly string[],
  ): Promise<ReadonlyMap<string, KeySpending>> {
    return groupWindowsByKey(scopeIds, scopeIds.length === 0 ? [] : await this.list(accountId, scope, scopeIds));
  }

  /** Spend in the intervals that the workspace has budgets for: others are not counted. */
  async ofWorkspace(accountId: string, workspaceId: string): Promise<KeySpending> {
    const rows = await this.list(accountId, 'workspace', [workspaceId]);
    return groupWindowsByKey([workspaceId], rows).get(workspaceId) ?? NO_SPENDING;
  }

  async ofAccount(accountId: string): Promise<AccountSpending> {
    const [row] = await this.list(accountId, 'account', [accountId]);
    return row ? { limit: row.limit, used: row.used, held: row.held } : { ...NOTHING, limit: 0n };
  }

  /** Number of requests to free variants that the account has made on the current UTC day. */
  async countFreeRequests(accountId: string): Promise<number> {
    const [row] = await this.list(accountId, 'free_requests', [accountId]);
    return row ? Number(row.used / PICO_PER_USD) : 0;
  }

  /** Resolves when the counters include what this replica has settled by now. */
  async catchUp(): Promise<void> {
    await this.postings.flush();
  }

  private async list(
    accountId: string,
    scope: SpendingScope,
    ids: readonly string[],
  ): Promise<readonly SpendingWindowEntity[]> {
    await this.catchUp();
    return this.windows.listCurrent(accountId, scope, ids, this.clock.aheadMs);
  }
}

/** Groups rows of current windows by key, or by another owner of the counters. */
export function groupWindowsByKey(
  keyHashes: readonly string[],
  rows: readonly SpendingWindowEntity[],
): ReadonlyMap<string, KeySpending> {
  const spending = new Map(keyHashes.map((hash) => [hash, NO_SPENDING]));
  for (const { scopeId, interval, used, held, byokUsed, byokHeld, lastUsedAt } of rows) {
    const before = spending.get(scopeId);
    if (!before) continue;
    spending.set(scopeId, {
      credits: { ...before.credits, [interval]: { used, held } },
      byok: { ...before.byok, [interval]: { used: byokUsed, held: byokHeld } },
      lastUsedAt: lastUsedAt ?? before.lastUsedAt,
    });
  }
  return spending;
}
