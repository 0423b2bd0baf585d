import { Body, Controller, Get, Post } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { usdNumber } from '../core/money/credits.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { one } from '../shared/http/replies.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { nullable, number, object, titled, described, type Static } from '../shared/http/schema.js';
import { EnterCreditsDto, readNewCredits } from './credits.dto.js';
import { CreditsService } from './credits.service.js';
import { creditsView, viewCredits, type CreditsView } from './entered-credits.js';
import { SpendingWindows } from './spending-windows.js';

/** What the account may spend (docs/wire/keys.md#credits). */
const balanceView = titled(
  'balance',
  object({
    total_credits: described('All credits that ever came in; null is unlimited.', nullable(number())),
    total_usage: number(),
  }),
);
type BalanceView = Static<typeof balanceView>;

/** The credits of the account (docs/wire/keys.md#credits). */
@Controller('credits')
@Accepts('management')
export class CreditsController {
  constructor(
    private readonly credits: CreditsService,
    private readonly windows: SpendingWindows,
  ) {}

  /** From the counter that decides whether a call passes. */
  @Get()
  @Answers(one(balanceView), { summary: 'Show the credits of the account' })
  async show(@FromCaller() { accountId }: Caller): Promise<{ data: BalanceView }> {
    const { limit, used } = await this.windows.ofAccount(accountId);
    return { data: { total_credits: limit === null ? null : usdNumber(limit), total_usage: usdNumber(used) } };
  }

  @Post()
  @Answers(one(creditsView), {
    summary: 'Enter credits',
    description: 'The same `idempotency_key` enters them once.',
    errors: ['conflict'],
    examples: {
      purchase: { amount: 100, note: 'Invoice 2030-17', idempotency_key: 'invoice-2030-17' },
      adjustment: { amount: -2.5, kind: 'adjustment' },
      refund: { amount: -100, kind: 'refund', note: 'Invoice 2030-17, cancelled' },
    },
  })
  async enter(@FromCaller() caller: Caller, @Body() body: EnterCreditsDto): Promise<{ data: CreditsView }> {
    return { data: viewCredits(await this.credits.enter(caller, readNewCredits(body))) };
  }
}
