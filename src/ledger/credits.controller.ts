import { Body, Controller, Get, Post } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { usdNumber } from '../core/money/credits.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EnterCreditsDto, readNewCredits } from './credits.dto.js';
import { CreditsRepository, type EnteredCredits } from './credits.repository.js';
import { SpendingWindows } from './spending-windows.js';

/** What the account may spend (WIRE 2.6). */
interface BalanceView {
  /** All credits that ever came in; null is unlimited. */
  total_credits: number | null;
  total_usage: number;
}

/** Credits that came in. It says nothing of the balance, so that the same request has the same answer for ever. */
interface CreditsView {
  id: string;
  kind: string;
  amount: number;
  note: string | null;
  created_at: string;
}

/** The credits of the account (DESIGN 11, "Keys and credits"). */
@Controller('credits')
@Accepts('management')
export class CreditsController {
  constructor(
    private readonly credits: CreditsRepository,
    private readonly windows: SpendingWindows,
  ) {}

  /** From the counter that decides whether a call passes. */
  @Get()
  async show(@FromCaller() { accountId }: Caller): Promise<{ data: BalanceView }> {
    const { limit, used } = await this.windows.ofAccount(accountId);
    return { data: { total_credits: limit === null ? null : usdNumber(limit), total_usage: usdNumber(used) } };
  }

  @Post()
  async enter(@FromCaller() { accountId }: Caller, @Body() body: EnterCreditsDto): Promise<{ data: CreditsView }> {
    return { data: viewCredits(await this.credits.enter(accountId, readNewCredits(body))) };
  }
}

function viewCredits({ id, kind, amount, note, createdAt }: EnteredCredits): CreditsView {
  return { id, kind, amount: usdNumber(amount), note, created_at: createdAt.toISOString() };
}
