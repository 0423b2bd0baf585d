import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../core/time.js';
import { ALL_PROMPT_TOKENS } from './generation-columns.js';

/** Which generations of an account are summed up; what is absent narrows nothing. */
export interface ActivityFilter {
  readonly keyHash?: string | undefined;
  readonly userId?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly byWorkspace: boolean;
}

/** What one endpoint came to on one UTC day. `numeric` and `bigint` are texts, as the driver gives them. */
export interface ActivityRow {
  readonly model: string;
  readonly endpoint: string;
  readonly provider_name: string;
  /** Null unless summed up by workspace. */
  readonly workspace_id: string | null;
  /** Its name, also where it was deleted; null with `workspace_id`. */
  readonly workspace_name: string | null;
  readonly requests: string;
  readonly cost: string;
  readonly byok_cost: string;
  readonly operator_cost: string;
  readonly prompt_tokens: string;
  readonly completion_tokens: string;
  readonly reasoning_tokens: string;
}

/** The statements that sum up `generations`. They take their time: never to be waited for by an inference. */
@Injectable()
export class ActivityRepository {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Start of the current UTC day, by the clock that says which day a generation belongs to. */
  async today(): Promise<Date> {
    const [row] = await this.database.query<{ today: Date }[]>(
      `SELECT window_start_of('daily', now() + $1 * interval '1 millisecond') AS today`,
      [this.clock.aheadMs],
    );
    if (!row) throw new Error('The database did not return the current date.');
    return row.today;
  }

  /** A deleted key is still one: what it spent was spent. */
  async hasKey(accountId: string, keyHash: string): Promise<boolean> {
    const rows = await this.database.query<unknown[]>('SELECT 1 FROM api_keys WHERE account_id = $1 AND hash = $2', [
      accountId,
      keyHash,
    ]);
    return rows.length > 0;
  }

  /**
   * Sums up one UTC day. What nobody answered and nobody was charged for is no activity of any endpoint; whatever was
   * charged, or was lost on it, is in it, so that the sums are those of the ledger.
   */
  async sumDay(accountId: string, day: Date, filter: ActivityFilter): Promise<ActivityRow[]> {
    return this.database.query<ActivityRow[]>(
      `SELECT coalesce(g.model, g.requested_model) AS model, coalesce(g.endpoint, '') AS endpoint,
         coalesce(max(g.provider_name), '') AS provider_name, CASE WHEN $6 THEN g.workspace_id END AS workspace_id,
         max(w.name) AS workspace_name,
         count(*) AS requests, sum(g.cost) AS cost, sum(g.byok_cost) AS byok_cost,
         sum(g.operator_cost) AS operator_cost,
         sum(${ALL_PROMPT_TOKENS}) AS prompt_tokens,
         sum(g.completion_tokens) AS completion_tokens, sum(g.reasoning_tokens) AS reasoning_tokens
       FROM generations g LEFT JOIN workspaces w ON $6 AND w.id = g.workspace_id
       WHERE g.account_id = $1 AND g.held_at >= $2::timestamptz AND g.held_at < $2::timestamptz + interval '24 hours'
         AND (g.model IS NOT NULL OR g.cost <> 0 OR g.byok_cost <> 0 OR g.operator_cost <> 0)
         AND ($3::text IS NULL OR g.key_hash = $3)
         AND ($4::text IS NULL OR g.key_user = $4)
         AND ($5::uuid IS NULL OR g.workspace_id = $5)
       GROUP BY 1, 2, 4, g.provider
       ORDER BY 1, 2, 3, 4`,
      [
        accountId,
        day.toISOString(),
        filter.keyHash ?? null,
        filter.userId ?? null,
        filter.workspaceId ?? null,
        filter.byWorkspace,
      ],
    );
  }
}
