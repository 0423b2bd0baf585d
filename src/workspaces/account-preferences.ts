import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import type { PolicyColumns } from '../accounts/policy-columns.js';
import { viewPolicy, type PolicyView } from '../accounts/policy-view.js';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import { ManagedChanges } from '../management/managed-changes.js';
import { ManagedKind } from '../management/managed-kind.js';
import type { Caller } from '../core/caller.js';
import type { EgressRules } from '../core/egress.js';
import { KeyCache } from '../keys/key-cache.js';
import { updateReturning } from '../shared/database/returned-rows.js';

/** Limits of an account that apply in all of its workspaces. */
export type Preferences = PolicyColumns & Pick<AccountEntity, 'egress'>;

/** Preferences as the API shows them. */
export const viewPreferences = (preferences: Preferences): PolicyView & { readonly egress: EgressRules | null } => ({
  ...viewPolicy(preferences),
  egress: preferences.egress,
});

/** Preferences as the audit log shows them. */
const PREFERENCES = new ManagedKind<AccountEntity>('account.preferences', (account) => ({
  target: account.id,
  view: viewPreferences(account),
}));

/** The preferences of an account and every change of them. */
@Injectable()
export class AccountPreferences {
  constructor(
    private readonly database: DataSource,
    private readonly policies: RoutingPolicies,
    private readonly keys: KeyCache,
    private readonly changes: ManagedChanges,
  ) {}

  async get(accountId: string): Promise<Preferences> {
    return this.database.manager.findOneByOrFail(AccountEntity, { id: accountId });
  }

  async change(caller: Caller, changes: Partial<Preferences>): Promise<Preferences> {
    const { accountId: id } = caller;
    const forget = (): void => {
      this.policies.forgetAll();
      // Each cached key contains the account's preferences.
      this.keys.forgetAll();
    };
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
