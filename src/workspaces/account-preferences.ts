import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import type { PolicyColumns } from '../accounts/policy-columns.js';
import { viewPolicy } from '../accounts/policy-view.js';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import { ManagedChanges } from '../audit/managed-changes.js';
import { ManagedKind } from '../audit/managed-kind.js';
import type { Caller } from '../core/caller.js';
import { updateReturning } from '../shared/database/returned-rows.js';

/** Preferences for the log. */
const PREFERENCES = new ManagedKind<AccountEntity>('account.preferences', (account) => ({
  target: account.id,
  view: viewPolicy(account),
}));

/** What an account allows of routing in all of its workspaces. */
@Injectable()
export class AccountPreferences {
  constructor(
    private readonly database: DataSource,
    private readonly policies: RoutingPolicies,
    private readonly changes: ManagedChanges,
  ) {}

  async get(accountId: string): Promise<PolicyColumns> {
    return this.database.manager.findOneByOrFail(AccountEntity, { id: accountId });
  }

  async change(caller: Caller, changes: Partial<PolicyColumns>): Promise<PolicyColumns> {
    const { accountId: id } = caller;
    const forget = (): void => this.policies.forgetAll();
    return this.changes.run(caller, async (manager) => {
      const account = await manager
        .createQueryBuilder(AccountEntity, 'account')
        .setLock('for_no_key_update')
        .where({ id })
        .getOneOrFail();
      const change = await PREFERENCES.update(account, changes, async () => {
        const [changed] = await updateReturning(manager, AccountEntity, { id }, changes);
        return changed!;
      });
      return { ...change, forget };
    });
  }
}
