import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Where a key belongs when nobody says otherwise. */
export interface DefaultWorkspace {
  readonly accountId: string;
  readonly workspaceId: string;
}

/** What an account gets for nothing, by what it has bought. */
export interface FreeTier {
  /** True until the first purchase of credits. */
  readonly isFreeTier: boolean;
  /** Requests to free variants that it may make in a UTC day. */
  readonly freeRequestsADay: number;
}

/** Knows the account and how it stands. Safe to share; every answer is read afresh. */
@Injectable()
export class AccountDirectory {
  constructor(private readonly database: DataSource) {}

  /** By the rule that holds are taken by: the database's. */
  async getFreeTier(accountId: string): Promise<FreeTier> {
    const [row] = await this.database.query<{ free_tier: boolean; free_requests: string }[]>(
      'SELECT free_tier, free_requests_a_day_1(purchased_usd) AS free_requests FROM accounts WHERE id = $1',
      [accountId],
    );
    if (!row) throw new Error('There is no such account.');
    return { isFreeTier: row.free_tier, freeRequestsADay: Number(row.free_requests) };
  }
}
