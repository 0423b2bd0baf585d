import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Egress } from '../core/egress.js';
import { AccountEntity } from './account.entity.js';
import { WorkspaceEntity } from './workspace.entity.js';

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

  /** The one account, and its default workspace. */
  async findDefault(): Promise<DefaultWorkspace> {
    const home = await findDefaultWorkspace(this.database.manager);
    // The start has created it.
    if (!home) throw new Error('There is no account.');
    return home;
  }

  /** The addresses that requests of an account may reach; undefined: all. */
  async getEgress(accountId: string): Promise<Egress | undefined> {
    const account = await this.database.manager.findOneByOrFail(AccountEntity, { id: accountId });
    return Egress.of(account.egress);
  }

  /** Uses the same rule as holds: a function of the database. */
  async getFreeTier(accountId: string): Promise<FreeTier> {
    const [row] = await this.database.query<{ free_tier: boolean; free_requests: string }[]>(
      'SELECT free_tier, free_requests_a_day_1(purchased_usd) AS free_requests FROM accounts WHERE id = $1',
      [accountId],
    );
    if (!row) throw new Error('There is no such account.');
    return { isFreeTier: row.free_tier, freeRequestsADay: Number(row.free_requests) };
  }
}

/**
 * Deleted ones included: only a manual change of the store deletes an account, and it must not cause a second account.
 */
export async function findDefaultWorkspace(manager: EntityManager): Promise<DefaultWorkspace | null> {
  const workspace = await manager.findOneBy(WorkspaceEntity, { isDefault: true });
  return workspace && { accountId: workspace.accountId, workspaceId: workspace.id };
}
