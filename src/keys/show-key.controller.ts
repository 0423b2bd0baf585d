import { Controller, Get } from '@nestjs/common';
import { AccountDirectory } from '../accounts/account-directory.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { SpendingWindows } from '../ledger/spending-windows.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { ClosedQuery } from '../shared/http/query.guard.js';
import { one } from '../shared/http/replies.js';
import { FromCaller } from '../shared/http/route.decorators.js';
import { INACTIVE_KEY } from './key-refusals.js';
import { KeysService } from './keys.service.js';
import { keyStatusView, viewKeyStatus, type KeyStatusView } from './key-view.js';

/** What the key of this request may still spend (docs/wire/keys.md#key-status). */
@Controller('key')
@ClosedQuery()
export class ShowKeyController {
  constructor(
    private readonly keys: KeysService,
    private readonly windows: SpendingWindows,
    private readonly accounts: AccountDirectory,
  ) {}

  @Get()
  @Answers(one(keyStatusView), {
    summary: 'Show the key of this request',
    description: 'And what it may still spend.',
    errors: ['invalid-request'],
  })
  async show(@FromCaller() { accountId, keyHash }: Caller): Promise<{ data: KeyStatusView }> {
    const [row, spending, tier, freeRequests] = await Promise.all([
      this.keys.find(accountId, keyHash),
      this.windows.ofKey(accountId, keyHash),
      this.accounts.getFreeTier(accountId),
      this.windows.countFreeRequests(accountId),
    ]);
    // Revoked since it was last looked up: here the store itself has just said so.
    if (!row || row.disabled) throw new GatewayError('unauthenticated', INACTIVE_KEY);
    return { data: viewKeyStatus(row, spending, { ...tier, freeRequests }) };
  }
}
