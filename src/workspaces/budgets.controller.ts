import { Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { reachOf, type Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { INTERVALS, type Interval } from '../core/time.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { deleted } from '../shared/http/reply-schemas.js';
import { FromBody } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { flag, object, rows, type Static } from '../shared/http/schema.js';
import { readUsdNumber } from '../shared/http/usd-amount.js';
import { budgetView, type BudgetView } from './budget-view.js';
import { SetBudgetDto } from './set-budget.dto.js';
import { WorkspaceBudgets, type BudgetList } from './workspace-budgets.js';

const budgetReply = object({ data: budgetView, include_byok_in_budgets: flag() });
type BudgetReply = Static<typeof budgetReply>;

/** Budgets of a workspace by interval (docs/operate/workspaces.md#budgets). */
@Controller('workspaces/:reference/budgets')
@Accepts('management')
export class BudgetsController {
  constructor(private readonly budgets: WorkspaceBudgets) {}

  @Get()
  @Answers(object({ data: rows(budgetView), include_byok_in_budgets: flag() }), {
    summary: 'List the budgets of a workspace',
  })
  async list(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
  ): Promise<{ data: readonly BudgetView[]; include_byok_in_budgets: boolean }> {
    const { budgets, includesByok } = await this.budgets.list(reachOf(caller), reference);
    return { data: budgets, include_byok_in_budgets: includesByok };
  }

  @Get(':interval')
  @Answers(budgetReply, { summary: 'Show a budget' })
  async show(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
    @Param('interval') interval: string,
  ): Promise<BudgetReply> {
    return shown(await this.budgets.list(reachOf(caller), reference), readInterval(interval));
  }

  @Put(':interval')
  @Answers(budgetReply, {
    summary: 'Set a budget',
    examples: { budget: { limit_usd: 100, include_byok_in_budgets: false } },
  })
  async set(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
    @Param('interval') interval: string,
    @FromBody() body: SetBudgetDto,
  ): Promise<BudgetReply> {
    const settings = {
      interval: readInterval(interval),
      limit: readUsdNumber(body.limit_usd) ?? 0n,
      includesByok: body.include_byok_in_budgets,
    };
    return shown(await this.budgets.set(caller, reference, settings), settings.interval);
  }

  @Delete(':interval')
  @Answers(deleted, { summary: 'Delete a budget' })
  async remove(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
    @Param('interval') interval: string,
  ): Promise<{ deleted: true }> {
    await this.budgets.remove(caller, reference, readInterval(interval));
    return { deleted: true };
  }
}

function shown({ budgets, includesByok }: BudgetList, interval: Interval): BudgetReply {
  const budget = budgets.find((candidate) => candidate.interval === interval);
  if (!budget) throw new GatewayError('not-found', `The workspace has no ${interval} budget.`);
  return { data: budget, include_byok_in_budgets: includesByok };
}

function readInterval(text: string): Interval {
  const interval = INTERVALS.find((known) => known === text);
  if (interval) return interval;
  throw new GatewayError('invalid-request', `interval: must be one of ${INTERVALS.join(', ')}`);
}
