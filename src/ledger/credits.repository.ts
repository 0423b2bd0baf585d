import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActor } from '../audit/audit-log.js';
import { ManagedChanges } from '../audit/managed-changes.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { formatUsd, parseUsd, type PicoUsd } from '../core/money/credits.js';
import { Clock } from '../core/time.js';
import { viewCredits, type EnteredCredits } from './entered-credits.js';

/** Credits that come in by hand. The grants at an account's opening are no one's to make. */
export interface NewCredits {
  readonly kind: 'purchase' | 'adjustment';
  /** Below zero only for an adjustment. */
  readonly amount: PicoUsd;
  readonly note: string | null;
  /** Unique in the account. */
  readonly idempotencyKey: string | null;
}

interface CreditsRow {
  readonly id: string;
  readonly kind: EnteredCredits['kind'];
  readonly amount: string;
  readonly note: string | null;
  readonly created_at: Date;
}

interface EnteredRow extends CreditsRow {
  /** All purchases of the account; null where this is none. */
  readonly purchased: string | null;
}

/** The statements over `credit_grants`, and what follows from a row of it. */
@Injectable()
export class CreditsRepository {
  constructor(
    private readonly changes: ManagedChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Enters credits: once for each idempotency key, however many ask at once. They can be spent when this returns. What
   * came in is in the audit log; a repetition is not.
   * @throws GatewayError `conflict` when the key stands for another amount or kind; `invalid-request` when the
   *   account's amounts would leave the range that amounts have
   */
  async enter(actor: AuditActor, credits: NewCredits): Promise<EnteredCredits> {
    const { accountId } = actor;
    return this.changes.run(actor, async (manager) => {
      const entered = await this.insert(manager, accountId, credits);
      if (!entered) return { result: await this.getEarlier(manager, accountId, credits), entries: [] };
      return {
        result: entered,
        entries: [{ action: 'credits.enter', target: entered.id, after: viewCredits(entered) }],
        // Holds wait for the counter's row from there to the commit. Whoever has it waits for no entry of the log.
        last: () => this.raise(manager, accountId, credits.amount),
      };
    });
  }

  /** @returns undefined when the idempotency key has been used before */
  private async insert(
    manager: EntityManager,
    accountId: string,
    { kind, amount, note, idempotencyKey }: NewCredits,
  ): Promise<EnteredCredits | undefined> {
    const [row] = await manager.query<EnteredRow[]>(
      `WITH entered AS (
         INSERT INTO credit_grants (id, account_id, kind, amount, note, idempotency_key, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 millisecond')
         ON CONFLICT ON CONSTRAINT credit_grants_once DO NOTHING
         RETURNING *
       ), buyer AS (
         UPDATE accounts a SET purchased_usd = a.purchased_usd + e.amount, free_tier = false
         FROM entered e WHERE a.id = e.account_id AND e.kind = 'purchase'
         RETURNING purchased_usd
       )
       SELECT e.id, e.kind, e.amount, e.note, e.created_at, (SELECT purchased_usd FROM buyer) AS purchased
       FROM entered e`,
      [newUuid(this.clock.now()), accountId, kind, formatUsd(amount), note, idempotencyKey, this.clock.aheadMs],
    );
    if (!row) return undefined;
    assertReadable(row.purchased);
    return readCredits(row);
  }

  /** Moves the counter that every charge of the account goes through. */
  private async raise(manager: EntityManager, accountId: string, amount: PicoUsd): Promise<void> {
    const [row] = await manager.query<{ limit: string | null }[]>(
      `INSERT INTO spending_windows AS w (account_id, scope, scope_id, "interval", window_start, "limit")
       VALUES ($1, 'account', $1::uuid::text, 'lifetime', window_start_of('lifetime', now()), $2)
       ON CONFLICT (scope, scope_id, "interval", window_start) DO UPDATE SET "limit" = w."limit" + excluded."limit"
       RETURNING "limit"`,
      [accountId, formatUsd(amount)],
    );
    assertReadable(row?.limit ?? null);
  }

  private async getEarlier(
    manager: EntityManager,
    accountId: string,
    { kind, amount, idempotencyKey }: NewCredits,
  ): Promise<EnteredCredits> {
    const [row] = await manager.query<CreditsRow[]>(
      `SELECT id, kind, amount, note, created_at FROM credit_grants WHERE account_id = $1 AND idempotency_key = $2`,
      [accountId, idempotencyKey],
    );
    const earlier = row && readCredits(row);
    if (earlier?.kind !== kind || earlier.amount !== amount)
      throw new GatewayError('conflict', 'idempotency_key: was used before, with another amount or kind');
    return earlier;
  }
}

/** Nobody could read a sum beyond. The transaction is undone. */
function assertReadable(sum: string | null): void {
  if (sum !== null && parseUsd(sum) === undefined)
    throw new GatewayError('invalid-request', 'amount: would take the credits of the account beyond 10^15 USD');
}

function readCredits({ id, kind, amount, note, created_at }: CreditsRow): EnteredCredits {
  const exact = parseUsd(amount);
  if (exact === undefined) throw new RangeError('A stored amount lies beyond 10¹⁵ USD.');
  return { id, kind, amount: exact, note, createdAt: created_at };
}
