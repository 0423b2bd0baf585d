import { Controller, Get } from '@nestjs/common';
import { AccountDirectory } from '../accounts/account-directory.js';
import { subjectsOf } from '../accounts/budget-subjects.js';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import { wholeAccount, type Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { budgetsLeft, type BudgetLeft } from '../ledger/budgets-left.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { SpendingWindows } from '../ledger/spending-windows.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { ClosedQuery } from '../shared/http/query.guard.js';
import { single } from '../shared/http/reply-schemas.js';
import { FromCaller } from '../shared/http/route.decorators.js';
import { INACTIVE_KEY } from './key-refusals.js';
import { KeysService } from './keys.service.js';
import { keyStatusView, viewKeyStatus, type KeyStatusView } from './key-view.js';

/** Limits and usage of the key of this request (docs/operate/keys.md#key-status). */
@Controller('key')
@ClosedQuery()
export class ShowKeyController {
  constructor(
    private readonly keys: KeysService,
    private readonly windows: SpendingWindows,
    private readonly accounts: AccountDirectory,
    private readonly policies: RoutingPolicies,
    private readonly ledger: LedgerService,
  ) {}

  @Get()
  @Answers(single(keyStatusView), {
    summary: 'Show the key of this request',
    description: 'And what it may still spend.',
    errors: ['invalid-request', 'not-found'],
  })
  async show(@FromCaller() caller: Caller): Promise<{ data: KeyStatusView }> {
    const { accountId, keyHash, person } = caller;
    if (person) throw new GatewayError('not-found', 'This request has no key: its session is that of a person.');
    const [row, spending, tier, freeRequests, budgets] = await Promise.all([
      this.keys.find(wholeAccount(accountId), keyHash),
      this.windows.ofKey(accountId, keyHash),
      this.accounts.getFreeTier(accountId),
      this.windows.countFreeRequests(accountId),
      this.listBudgets(caller),
    ]);
    // Revoked since its last look-up: this row was read from the store just now.
    if (!row || row.disabled) throw new GatewayError('unauthenticated', INACTIVE_KEY);
    return { data: viewKeyStatus(row, spending, { ...tier, freeRequests }, budgets) };
  }

  private async listBudgets(caller: Caller): Promise<readonly BudgetLeft[]> {
    const { budgeted } = await this.policies.of(caller);
    const subjects = subjectsOf(budgeted, caller, caller.tags ? { tags: caller.tags } : {});
    return subjects.length === 0 ? [] : budgetsLeft(await this.ledger.listCounters(caller, [], subjects));
  }
}
