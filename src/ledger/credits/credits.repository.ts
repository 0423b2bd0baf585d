import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { GatewayError } from '../../core/errors.js';
import { newUuid } from '../../core/ids.js';
import { formatUsd, parseUsd, type PicoUsd } from '../../core/money/credits.js';
import { Clock } from '../../core/time.js';
import { waitForSharedLock } from '../../shared/database/advisory-locks.js';
import type { EnteredCredits } from './entered-credits.js';

/** Credits to be added, or taken back. */
export interface NewCredits {
  readonly kind: EnteredCredits['kind'];
  /** Negative for a refund, and possibly for an adjustment. */
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
  /** All purchases of the account less its refunds; null for any other kind. */
  readonly purchased: string | null;
}

/** The statements over `credit_grants`, and over the counter whose limit is their sum. */
@Injectable()
export class CreditsRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * @returns undefined when the idempotency key has been used before
   * @throws GatewayError `invalid-request` when the account's purchases would leave the range of amounts, or a refund
   *   takes back more than was bought
   */
  async insert(
    manager: EntityManager,
    accountId: string,
    { kind, amount, note, idempotencyKey }: NewCredits,
  ): Promise<EnteredCredits | undefined> {
    // The entry must not be dated into a month that another transaction closes: the statement of that month would lack
    // it.
    await waitForSharedLock(manager, 'monthEnd');
    const [row] = await manager.query<EnteredRow[]>(
      `WITH entered AS (
         INSERT INTO credit_grants (id, account_id, kind, amount, note, idempotency_key, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, greatest(
           clock_timestamp() + $7 * interval '1 millisecond',
           (SELECT date_trunc('month', max(month) + interval '32 days', 'UTC') FROM statements WHERE account_id = $2)
         ))
         ON CONFLICT ON CONSTRAINT credit_grants_once DO NOTHING
         RETURNING *
       ), buyer AS (
         UPDATE accounts a SET purchased_usd = a.purchased_usd + e.amount, free_tier = a.purchased_usd + e.amount = 0
         FROM entered e WHERE a.id = e.account_id AND e.kind IN ('purchase', 'refund') AND a.purchased_usd + e.amount >= 0
         RETURNING purchased_usd
       )
       SELECT e.id, e.kind, e.amount, e.note, e.created_at, (SELECT purchased_usd FROM buyer) AS purchased
       FROM entered e`,
      [newUuid(this.clock.now()), accountId, kind, formatUsd(amount), note, idempotencyKey, this.clock.aheadMs],
    );
    if (!row) return undefined;
    if (row.kind === 'refund' && row.purchased === null)
      throw new GatewayError('invalid-request', 'amount: a refund takes back no more than was bought');
    assertReadable(row.purchased);
    return readCredits(row);
  }

  /**
   * Raises the limit of the counter that every charge of the account goes through; creates it where it is missing.
   * @throws GatewayError `invalid-request` when the limit would leave the range of amounts
   */
  async raise(manager: EntityManager, accountId: string, amount: PicoUsd): Promise<void> {
    const [row] = await manager.query<{ limit: string | null }[]>(
      `INSERT INTO spending_windows AS w (account_id, scope, scope_id, "interval", window_start, "limit")
       VALUES ($1, 'account', $1::uuid::text, 'lifetime', window_start_of('lifetime', now()), $2)
       ON CONFLICT (scope, scope_id, "interval", window_start) DO UPDATE SET "limit" = w."limit" + excluded."limit"
       RETURNING "limit"`,
      [accountId, formatUsd(amount)],
    );
    assertReadable(row?.limit ?? null);
  }

  async findByIdempotencyKey(
    manager: EntityManager,
    accountId: string,
    idempotencyKey: string | null,
  ): Promise<EnteredCredits | undefined> {
    const [row] = await manager.query<CreditsRow[]>(
      `SELECT id, kind, amount, note, created_at FROM credit_grants WHERE account_id = $1 AND idempotency_key = $2`,
      [accountId, idempotencyKey],
    );
    return row && readCredits(row);
  }
}

/** A larger sum could not be read. The error undoes the transaction. */
function assertReadable(sum: string | null): void {
  if (sum !== null && parseUsd(sum) === undefined)
    throw new GatewayError('invalid-request', 'amount: would take the credits of the account beyond 10^15 USD');
}

function readCredits({ id, kind, amount, note, created_at }: CreditsRow): EnteredCredits {
  const exact = parseUsd(amount);
  if (exact === undefined) throw new RangeError('A stored amount lies beyond 10¹⁵ USD.');
  return { id, kind, amount: exact, note, createdAt: created_at };
}
