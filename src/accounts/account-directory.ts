import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newUuid } from '../core/ids.js';
import { formatUsd, type PicoUsd } from '../core/money/credits.js';
import { Clock, windowStart } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { AccountEntity } from './account.entity.js';
import { WorkspaceEntity } from './workspace.entity.js';

/** Where a key belongs when nobody says otherwise. */
export interface Home {
  readonly accountId: string;
  readonly workspaceId: string;
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
    const workspace = await this.database.manager.findOneBy(WorkspaceEntity, { accountId, isDefault: true });
    return workspace?.id ?? null;
  }

  async hasWorkspace(accountId: string, workspaceId: string): Promise<boolean> {
    return this.database.manager.existsBy(WorkspaceEntity, { id: workspaceId, accountId });
  }

  /** Whether the account has never bought credits. */
  async isFreeTier(accountId: string): Promise<boolean> {
    const account = await this.database.manager.findOneByOrFail(AccountEntity, { id: accountId });
    return account.freeTier;
  }

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
    await this.grant(manager, accountId, this.environment.initialCredits);
    return { accountId, workspaceId };
  }

  // The ledger stands above this room, yet an account must not exist for a moment without its balance: hence this one row here.
  private async grant(manager: EntityManager, accountId: string, credits: PicoUsd): Promise<void> {
    await manager.query(
      `INSERT INTO spending_windows (account_id, scope, scope_id, "interval", window_start, "limit", used, held)
       VALUES ($1, 'account', $2, 'lifetime', $3, $4, 0, 0)`,
      [accountId, accountId, windowStart('lifetime', this.clock.now()), formatUsd(credits)],
    );
  }
}
