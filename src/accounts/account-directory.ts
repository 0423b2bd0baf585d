import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { newUuid } from '../core/ids.js';
import { formatUsd, parseUsd, type PicoUsd } from '../core/money/credits.js';
import { Clock, windowStart } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { AccountEntity } from './account.entity.js';
import { WorkspaceEntity } from './workspace.entity.js';

/** Where a key belongs when nobody says otherwise. */
export interface Home {
  readonly accountId: string;
  readonly workspaceId: string;
}

/** What an account has bought, which decides what it gets for nothing. */
export interface AccountStanding {
  /** True until the first purchase of credits. */
  readonly isFreeTier: boolean;
  /** All purchases ever, in 10⁻¹² USD. */
  readonly purchased: PicoUsd;
}

// Any number, as long as no other lock of the schema has it. Held to the transaction's end, so it works behind pooling.
const OPENING_LOCK = 4_721_001;

/** Knows the account and its workspaces. Safe to share; every answer is read afresh. */
@Injectable()
export class AccountDirectory {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly environment: Environment,
  ) {}

  /**
   * The one account and its default workspace, made at the first call on an empty store together with the granted credits.
   * Any number of replicas may call it at once: all get the same answer.
   */
  async ensureDefault(): Promise<Home> {
    // Under a stricter level the snapshot would be older than the wait for the lock.
    return this.database.transaction('READ COMMITTED', async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [OPENING_LOCK]);
      return (await this.findDefault(manager)) ?? (await this.open(manager));
    });
  }

  /** @returns null when the account has none, which only a store changed by hand can bring about */
  async findDefaultWorkspace(accountId: string): Promise<string | null> {
    const home = { accountId, isDefault: true, deletedAt: IsNull() };
    const workspace = await this.database.manager.findOneBy(WorkspaceEntity, home);
    return workspace?.id ?? null;
  }

  async hasWorkspace(accountId: string, workspaceId: string): Promise<boolean> {
    return this.database.manager.existsBy(WorkspaceEntity, { id: workspaceId, accountId, deletedAt: IsNull() });
  }

  /**
   * The same, within a transaction of level `READ COMMITTED`: the workspace stays until its end. For whoever puts something into it.
   */
  async keepWorkspace(manager: EntityManager, accountId: string, workspaceId: string): Promise<boolean> {
    const rows = await manager.query<unknown[]>(
      'SELECT 1 FROM workspaces WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR KEY SHARE',
      [accountId, workspaceId],
    );
    return rows.length > 0;
  }

  async getStanding(accountId: string): Promise<AccountStanding> {
    const account = await this.database.manager.findOneByOrFail(AccountEntity, { id: accountId });
    const purchased = parseUsd(account.purchasedUsd);
    if (purchased === undefined) throw new RangeError('The purchases of an account lie beyond 10¹⁵ USD.');
    return { isFreeTier: account.freeTier, purchased };
  }

  // Deleted or not: nothing deletes it but a store changed by hand, and a second account must not come of that.
  private async findDefault(manager: EntityManager): Promise<Home | null> {
    const workspace = await manager.findOneBy(WorkspaceEntity, { isDefault: true });
    return workspace && { accountId: workspace.accountId, workspaceId: workspace.id };
  }

  private async open(manager: EntityManager): Promise<Home> {
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

  // The ledger stands above this room, yet an account must not exist for a moment without its balance: hence these rows here.
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
