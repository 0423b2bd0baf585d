import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { Clock } from '../core/time.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { ClosedQuery } from '../shared/http/query.guard.js';
import { RaiseDto, readRaise } from '../shared/http/raise.dto.js';
import { deleted, one, part } from '../shared/http/replies.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { readUsdNumber } from '../shared/http/usd-amount.js';
import { ListBudgetsDto } from './list-budgets.dto.js';
import { readInterval, readSubject } from './read-subject.js';
import { SetSubjectBudgetDto } from './set-subject-budget.dto.js';
import { subjectBudgetView, type SubjectBudgetView } from './subject-budget-view.js';
import { listed, SubjectBudgets } from './subject-budgets.js';

/** What users, members and tags may spend by interval (docs/operate/budgets.md). */
@Controller('budgets')
@Accepts('management')
@ClosedQuery()
export class SubjectBudgetsController {
  constructor(
    private readonly budgets: SubjectBudgets,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Answers(part(subjectBudgetView), {
    summary: 'List budgets of users, members and tags',
    description: 'The latest changed first.',
  })
  async list(
    @FromCaller() { accountId }: Caller,
    @FromQuery() { scope, id, offset, limit }: ListBudgetsDto,
  ): Promise<{ data: readonly SubjectBudgetView[]; total_count: number }> {
    if (id !== undefined && scope === undefined)
      throw new GatewayError('invalid-request', 'id: needs a scope beside it: users, members or tags');
    const [data, total] = await this.budgets.list(accountId, listed(accountId, scope, id), { offset, limit });
    return { data, total_count: total };
  }

  @Get(':scope/:id/:interval')
  @Answers(one(subjectBudgetView), {
    summary: 'Show a budget of a user, a member or a tag',
    errors: ['invalid-request'],
  })
  async show(
    @FromCaller() { accountId }: Caller,
    @Param('scope') scope: string,
    @Param('id') id: string,
    @Param('interval') interval: string,
  ): Promise<{ data: SubjectBudgetView }> {
    return { data: await this.budgets.get(accountId, readSubject(accountId, scope, id), readInterval(interval)) };
  }

  @Put(':scope/:id/:interval')
  @Answers(one(subjectBudgetView), {
    summary: 'Set a budget of a user, a member or a tag',
    description: 'The id `default` is for all in the scope who have none of their own in that interval.',
    examples: { budget: { limit_usd: 5 } },
  })
  async set(
    @FromCaller() caller: Caller,
    @Param('scope') scope: string,
    @Param('id') id: string,
    @Param('interval') interval: string,
    @FromBody() body: SetSubjectBudgetDto,
  ): Promise<{ data: SubjectBudgetView }> {
    const subject = readSubject(caller.accountId, scope, id);
    const limit = readUsdNumber(body.limit_usd)!;
    return { data: await this.budgets.set(caller, subject, readInterval(interval), limit) };
  }

  @Post(':scope/:id/:interval/raise')
  @HttpCode(200)
  @Answers(one(subjectBudgetView), {
    summary: 'Raise a budget for a time',
    description: 'It ends by itself, at that moment. A later raise replaces an earlier one.',
    examples: { raise: { amount_usd: 10, until: '2099-12-31T23:59:59Z' } },
  })
  async raise(
    @FromCaller() caller: Caller,
    @Param('scope') scope: string,
    @Param('id') id: string,
    @Param('interval') interval: string,
    @FromBody() body: RaiseDto,
  ): Promise<{ data: SubjectBudgetView }> {
    const subject = readSubject(caller.accountId, scope, id);
    const raise = readRaise(body, this.clock.now());
    return { data: await this.budgets.raise(caller, subject, readInterval(interval), raise) };
  }

  @Delete(':scope/:id/:interval')
  @Answers(deleted, { summary: 'Delete a budget of a user, a member or a tag', errors: ['invalid-request'] })
  async remove(
    @FromCaller() caller: Caller,
    @Param('scope') scope: string,
    @Param('id') id: string,
    @Param('interval') interval: string,
  ): Promise<{ deleted: true }> {
    await this.budgets.remove(caller, readSubject(caller.accountId, scope, id), readInterval(interval));
    return { deleted: true };
  }
}
