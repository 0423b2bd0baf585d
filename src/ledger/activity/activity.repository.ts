import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Reach } from '../../core/caller.js';
import { Clock, DAY_MS } from '../../core/time.js';

/** The facts that queries of the past are checked against. */
@Injectable()
export class ActivityRepository {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** The current time by the database's clock, which also decides the time of a generation. */
  async now(): Promise<Date> {
    const [row] = await this.database.query<{ now: Date }[]>(`SELECT now() + $1 * interval '1 millisecond' AS now`, [
      this.clock.aheadMs,
    ]);
    if (!row) throw new Error('The database did not return the current time.');
    return row.now;
  }

  /** Start of the current UTC day. */
  async today(): Promise<Date> {
    const now = await this.now();
    return new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  }

  /** Includes deleted keys: their spending remains. */
  async hasKey({ accountId, boundTo }: Reach, keyHash: string): Promise<boolean> {
    const rows = await this.database.query<unknown[]>(
      `SELECT 1 FROM api_keys WHERE account_id = $1 AND hash = $2
         AND ($3::uuid IS NULL OR workspace_id = $3 AND (kind = 'inference' OR is_workspace_bound))`,
      [accountId, keyHash, boundTo ?? null],
    );
    return rows.length > 0;
  }
}
