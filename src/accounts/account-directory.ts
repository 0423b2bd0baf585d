import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** The account and workspace of a key for which none is specified. */
export interface DefaultWorkspace {
  readonly accountId: string;
  readonly workspaceId: string;
}

/** The free allowance of an account, by its purchases. */
export interface FreeTier {
  /** True until the first purchase of credits. */
  readonly isFreeTier: boolean;
  /** Requests to free variants that it may make in a UTC day. */
  readonly freeRequestsADay: number;
}

/** Finds the account and its free tier. Safe to share; every result is read from the store. */
@Injectable()
export class AccountDirectory {
  constructor(private readonly database: DataSource) {}

  /** By the same rule as holds: a function of the database. */
  async getFreeTier(accountId: string): Promise<FreeTier> {
    const [row] = await this.database.query<{ free_tier: boolean; free_requests: string }[]>(
      'SELECT free_tier, free_requests_a_day_1(purchased_usd) AS free_requests FROM accounts WHERE id = $1',
      [accountId],
    );
    if (!row) throw new Error('There is no such account.');
    return { isFreeTier: row.free_tier, freeRequestsADay: Number(row.free_requests) };
  }
}
