import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { parseUsd, type PicoUsd } from '../../src/core/money/credits.js';
import { isDatabaseUnavailable } from '../../src/shared/database/database-unavailable.js';
import type { StoredEntries, StoredGeneration } from './evidence.js';
import { markerOfRow } from './fleet.js';

const LOOK_EVERY_MS = 20;
/** Limit of findings of one kind. */
const KEPT_MAX = 20;

/** The ledger, read by SQL from outside while gateways write it. */
export class LedgerWatch {
  /** Number of checks for counters above their cap. */
  looks = 0;
  /** Number of counters found above. */
  overspent = 0;
  /** One sentence each. */
  readonly findings: string[] = [];
  private watching: Promise<void> | undefined;
  private isOver = false;

  constructor(private readonly pool: pg.Pool) {}

  /** Checks continuously, until `stop`. */
  start(): void {
    this.watching = (async () => {
      while (!this.isOver) {
        await this.look().catch((error: unknown) => {
          // The database is killed as well.
          if (!isDatabaseUnavailable(error)) throw error;
        });
        await delay(LOOK_EVERY_MS);
      }
    })();
    // The error is reported where its end is awaited.
    this.watching.catch(() => undefined);
  }

  /** @throws the error that ended the checks */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.watching;
  }

  /** Counters with a cap, in one snapshot: used and held together may never exceed it, nor be negative. */
  async look(): Promise<void> {
    this.looks++;
    const { rows } = await this.pool.query<{ scope: string; used: string; held: string; cap: string | null }>(
      `SELECT c.scope, c.used, c.held, c.cap FROM (
         SELECT w.scope, w.used, w.held, coalesce(k.limit_usd, b.limit_usd, w."limit") AS cap,
           CASE WHEN coalesce(k.include_byok_in_limit, b.include_byok, false) THEN w.byok_used + w.byok_held ELSE 0 END AS byok
         FROM spending_windows w
         LEFT JOIN api_keys k ON w.scope = 'key' AND k.hash = w.scope_id AND w.interval = coalesce(k.limit_reset, 'lifetime')
         LEFT JOIN budgets b ON b.scope = w.scope AND b.scope_id = w.scope_id AND b.interval = w.interval
       ) AS c
       WHERE c.used + c.held + c.byok > c.cap OR c.used < 0 OR c.held < 0`,
    );
    if (rows.length > 0) this.overspent++;
    for (const { scope, used, held, cap } of rows) this.note(`${scope}: used ${used} and held ${held} of ${cap}`);
  }

  /** Generations that were charged more than once so far. */
  async lookForDoubles(): Promise<void> {
    const { rows } = await this.pool.query<{ generation_id: string }>(
      `SELECT generation_id FROM ledger_entries WHERE kind = 'charge' GROUP BY 1 HAVING count(*) > 1`,
    );
    for (const { generation_id: id } of rows) this.note(`${id}: charged more than once`);
  }

  /** The used and held amount of a key. */
  async taken(keyHash: string): Promise<PicoUsd> {
    const { rows } = await this.pool.query<{ taken: string }>(
      `SELECT coalesce(sum(used + held), 0) AS taken FROM spending_windows
       WHERE scope = 'key' AND scope_id = $1 AND interval = 'lifetime'`,
      [keyHash],
    );
    return readUsd(rows[0]?.taken);
  }

  /** Calls of this model that are neither settled nor released. */
  async countOpen(model: string): Promise<number> {
    const text = 'SELECT count(*)::int AS count FROM holds WHERE model = $1 AND cost IS NULL';
    const { rows } = await this.pool.query<{ count: number }>(text, [model]);
    return rows[0]?.count ?? 0;
  }

  async countHolds(): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM holds');
    return rows[0]?.count ?? 0;
  }

  /** Compares the counters with the sums of their entries, once nothing is open. */
  async compareCounters(): Promise<void> {
    const { rows } = await this.pool.query<{ scope: string; used: string; held: string; entered: string }>(
      `WITH entered AS (
         SELECT 'account' AS scope, account_id::text AS scope_id, sum(amount) AS amount FROM ledger_entries GROUP BY 2
         UNION ALL
         SELECT 'key', key_hash, sum(amount) FROM ledger_entries GROUP BY 2
         UNION ALL
         SELECT 'workspace', workspace_id::text, sum(amount) FROM ledger_entries GROUP BY 2
       )
       SELECT w.scope, w.used, w.held, coalesce(e.amount, 0) AS entered
       FROM spending_windows w LEFT JOIN entered e USING (scope, scope_id)
       WHERE w.interval = 'lifetime' AND (w.held <> 0 OR w.used <> coalesce(e.amount, 0))`,
    );
    for (const { scope, used, held, entered } of rows) {
      this.note(`${scope}: used ${used} and held ${held}, entered ${entered}`);
    }
  }

  async listGenerations(): Promise<readonly StoredGeneration[]> {
    const { rows } = await this.pool.query<{
      id: string;
      end_user: string | null;
      requested_model: string;
      outcome: string;
      cost: string;
      bound: string;
      operator_cost: string;
      is_recovered: boolean;
      is_estimated: boolean;
    }>(
      'SELECT id, end_user, requested_model, outcome, cost, bound, operator_cost, is_recovered, is_estimated FROM generations',
    );
    return rows.map((row) => ({
      id: row.id,
      marker: markerOfRow(row.end_user, row.requested_model),
      outcome: row.outcome,
      cost: readUsd(row.cost),
      bound: readUsd(row.bound),
      operatorCost: readUsd(row.operator_cost),
      isRecovered: row.is_recovered,
      isEstimated: row.is_estimated,
    }));
  }

  async listEntries(): Promise<readonly StoredEntries[]> {
    const { rows } = await this.pool.query<{ id: string; charges: number; corrections: number; amount: string }>(
      `SELECT generation_id AS id, sum(amount) AS amount, count(*) FILTER (WHERE kind = 'charge')::int AS charges,
         count(*) FILTER (WHERE kind = 'correction')::int AS corrections
       FROM ledger_entries GROUP BY 1`,
    );
    return rows.map(({ amount, ...row }) => ({ ...row, amount: readUsd(amount) }));
  }

  private note(finding: string): void {
    if (this.findings.length < KEPT_MAX && !this.findings.includes(finding)) this.findings.push(finding);
  }
}

function readUsd(stored: string | undefined): PicoUsd {
  const amount = parseUsd(stored ?? '0');
  if (amount === undefined) throw new RangeError(`An amount that cannot be read: ${stored}`);
  return amount;
}
