import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { parseUsd, type PicoUsd } from '../core/money/credits.js';
import { AccountEntity } from './account.entity.js';

/** Where a key belongs when nobody says otherwise. */
export interface DefaultWorkspace {
  readonly accountId: string;
  readonly workspaceId: string;
}

/** What an account has bought, which decides what it gets for nothing. */
export interface AccountPurchases {
  /** True until the first purchase of credits. */
  readonly isFreeTier: boolean;
  /** All purchases ever, in 10⁻¹² USD. */
  readonly purchased: PicoUsd;
}

/** Knows the account and how it stands. Safe to share; every answer is read afresh. */
@Injectable()
export class AccountDirectory {
  constructor(private readonly database: DataSource) {}

  async getPurchases(accountId: string): Promise<AccountPurchases> {
    const account = await this.database.manager.findOneByOrFail(AccountEntity, { id: accountId });
    const purchased = parseUsd(account.purchasedUsd);
    if (purchased === undefined) throw new RangeError('The purchases of an account lie beyond 10¹⁵ USD.');
    return { isFreeTier: account.freeTier, purchased };
  }
}
