import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountEntity } from '../accounts/account.entity.js';
import type { PolicyColumns } from '../accounts/policy-columns.js';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import { AuditLog } from '../audit/audit-log.js';
import type { Caller } from '../core/caller.js';
import { viewPolicy } from './policy-fields.js';

/** What an account allows of routing in all of its workspaces. */
@Injectable()
export class AccountPreferences {
  constructor(
    private readonly database: DataSource,
    private readonly policies: RoutingPolicies,
    private readonly audit: AuditLog,
  ) {}

  async get(accountId: string): Promise<PolicyColumns> {
    return this.database.manager.findOneByOrFail(AccountEntity, { id: accountId });
  }

  async change(caller: Caller, changes: Partial<PolicyColumns>): Promise<PolicyColumns> {
    const { accountId } = caller;
    const changed = await this.database.transaction('READ COMMITTED', async (manager) => {
      const account = await manager
        .createQueryBuilder(AccountEntity, 'account')
        .setLock('for_no_key_update')
        .where({ id: accountId })
        .getOneOrFail();
      const wanted = { ...account, ...changes };
      const [before, after] = [viewPolicy(account), viewPolicy(wanted)];
      if (JSON.stringify(before) === JSON.stringify(after)) return account;
      await manager.update(AccountEntity, { id: accountId }, changes);
      const action = 'account.preferences.update';
      await this.audit.record(manager, caller, { action, target: accountId, before, after });
      return wanted;
    });
    this.policies.forgetAll();
    return changed;
  }
}
