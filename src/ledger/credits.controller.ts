import { Body, Controller, Get, Post } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { usdNumber } from '../core/money/credits.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EnterCreditsDto, readNewCredits } from './credits.dto.js';
import { CreditsRepository } from './credits.repository.js';
import { viewCredits, type CreditsView } from './entered-credits.js';
import { SpendingWindows } from './spending-windows.js';

/** What the account may spend (WIRE 2.6). */
interface BalanceView {
  /** All credits that ever came in; null is unlimited. */
  total_credits: number | null;
  total_usage: number;
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
  async enter(@FromCaller() caller: Caller, @Body() body: EnterCreditsDto): Promise<{ data: CreditsView }> {
    return { data: viewCredits(await this.credits.enter(caller, readNewCredits(body))) };
  }
}
