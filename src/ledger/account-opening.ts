import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { findDefaultWorkspace, type DefaultWorkspace } from '../accounts/account-directory.js';
import { AccountEntity } from '../accounts/account.entity.js';
import { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { operatorOf } from '../audit/audit-log.js';
import { ManagedChanges } from '../management/managed-changes.js';
import { newUuid } from '../core/ids.js';
import { Clock } from '../core/time.js';
import { waitForLock } from '../shared/database/advisory-locks.js';
import { Environment } from '../shared/environment.js';
import { CreditsService } from './credits/credits.service.js';

/** Creates the account of an empty store, always together with its counter: hence in this module. */
@Injectable()
export class AccountOpening {
  constructor(
    private readonly changes: ManagedChanges,
    private readonly credits: CreditsService,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the one account and its default workspace; on an empty store it creates them, with the granted credits. Any
   * number of replicas may call it at once: all get the same result.
   */
  async ensureDefault(): Promise<DefaultWorkspace> {
    // The id of an account that is created here; an existing account is returned as it is and nothing is recorded of
    // it.
    const accountId = newUuid(this.clock.now());
    return this.changes.run(operatorOf(accountId), async (manager, at) => {
      await waitForLock(manager, 'opening');
      const home = await findDefaultWorkspace(manager);
      if (home) return { result: home, entries: [] };
      const workspaceId = await this.open(manager, accountId, at);
      const granted = await this.credits.open(manager, accountId, this.environment.initialCredits);
      return { ...granted, result: { accountId, workspaceId } };
    });
  }

  /** @returns id of its default workspace */
  private async open(manager: EntityManager, accountId: string, createdAt: Date): Promise<string> {
    const id = newUuid(createdAt.getTime());
    await manager.insert(AccountEntity, { id: accountId, name: 'Default account', freeTier: true, createdAt });
    await manager.insert(WorkspaceEntity, {
      id,
      accountId,
      name: 'Default workspace',
      slug: 'default',
      isDefault: true,
      createdAt,
    });
    return id;
  }
}
