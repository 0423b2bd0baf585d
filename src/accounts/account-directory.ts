import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newUuid } from '../core/ids.js';
import { formatUsd, parseUsd, type PicoUsd } from '../core/money/credits.js';
import { Clock, windowStart } from '../core/time.js';
import { waitForLock } from '../shared/database/advisory-locks.js';
import { Environment } from '../shared/environment.js';
import { AccountEntity } from './account.entity.js';
import { WorkspaceEntity } from './workspace.entity.js';

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
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly environment: Environment,
  ) {}

  /**
   * The one account and its default workspace, made at the first call on an empty store together with the granted
   * credits. Any number of replicas may call it at once: all get the same answer.
   */
  async ensureDefault(): Promise<DefaultWorkspace> {
    // Under a stricter level the snapshot would be older than the wait for the lock.
    return this.database.transaction('READ COMMITTED', async (manager) => {
      await waitForLock(manager, 'opening');
      return (await this.findDefault(manager)) ?? (await this.open(manager));
    });
  }

  async getPurchases(accountId: string): Promise<AccountPurchases> {
    const account = await this.database.manager.findOneByOrFail(AccountEntity, { id: accountId });
    const purchased = parseUsd(account.purchasedUsd);
    if (purchased === undefined) throw new RangeError('The purchases of an account lie beyond 10¹⁵ USD.');
    return { isFreeTier: account.freeTier, purchased };
  }

  // Deleted or not: nothing deletes it but a store changed by hand, and a second account must not come of that.
  private async findDefault(manager: EntityManager): Promise<DefaultWorkspace | null> {
    const workspace = await manager.findOneBy(WorkspaceEntity, { isDefault: true });
    return workspace && { accountId: workspace.accountId, workspaceId: workspace.id };
  }

  private async open(manager: EntityManager): Promise<DefaultWorkspace> {
    const now = this.clock.now();
    const createdAt = new Date(now);
    const accountId = newUuid(now);
    const workspaceId = newUuid(now);
    await manager.insert(AccountEntity, { id: accountId, name: 'Default account', freeTier: true, createdAt });
    await manager.insert(WorkspaceEntity, {
      id: workspaceId,
      accountId,
      name: 'Default workspace',
      slug: 'default',
      isDefault: true,
      createdAt,
    });
    await this.grant(manager, accountId, createdAt);
    return { accountId, workspaceId };
  }

  // The ledger stands above this room, yet an account must not exist for a moment without its
  // balance: hence these rows here.
  private async grant(manager: EntityManager, accountId: string, createdAt: Date): Promise<void> {
    const credits = this.environment.initialCredits;
    await manager.query(
      `INSERT INTO spending_windows (account_id, scope, scope_id, "interval", window_start, "limit", used, held)
       VALUES ($1, 'account', $2, 'lifetime', $3, $4, 0, 0)`,
      [accountId, accountId, windowStart('lifetime', createdAt.getTime()), formatUsd(credits)],
    );
    if (credits === 0n) return;
    await manager.query(
      `INSERT INTO credit_grants (id, account_id, kind, amount, note, created_at)
       VALUES ($1, $2, 'grant', $3, 'Initial credits', $4)`,
      [newUuid(createdAt.getTime()), accountId, formatUsd(credits), createdAt],
    );
  }
}
