import { Controller, Delete, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { Clock } from '../core/time.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { ClosedQuery } from '../shared/http/query.guard.js';
import { RaiseDto, readRaise } from '../shared/http/temporary-raise.dto.js';
import { deleted, single, part } from '../shared/http/reply-schemas.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import { readUsdNumber } from '../shared/http/usd-amount.js';
import { ListBudgetsDto } from './list-budgets.dto.js';
import { readInterval, readSubject, SubjectIdDto } from './read-subject.js';
import { SetSubjectBudgetDto } from './set-subject-budget.dto.js';
import { subjectBudgetView, type SubjectBudgetView } from './subject-budget-view.js';
import { listed, SubjectBudgets } from './subject-budgets.js';

/** Budgets of users, members and tags by interval (docs/operate/budgets.md). */
@Controller('budgets')
@Accepts('management')
@ClosedQuery()
export class SubjectBudgetsController {
  constructor(
    private readonly budgets: SubjectBudgets,
    private readonly clock: Clock,
    private readonly replies: ListReplies,
  ) {}

  @Get()
  @Answers(part(subjectBudgetView), {
    summary: 'List budgets of users, members and tags',
    description: 'The latest changed first. `format` sends all of them instead of a page.',
    alsoAs: Object.values(EXPORT_TYPES),
  })
  async list(
    @FromCaller() { accountId }: Caller,
    @FromQuery() query: ListBudgetsDto,
    @Res() response: Response,
  ): Promise<void> {
    const { scope, id } = query;
    if (id !== undefined && scope === undefined)
      throw new GatewayError('invalid-request', 'id: needs a scope beside it: users, members or tags');
    await this.replies.sendPart(response, query, {
      accountId,
      view: subjectBudgetView,
      read: (page) => this.budgets.list(accountId, listed(accountId, scope, id), page),
    });
  }

  @Get(':scope/:id/:interval')
  @Answers(single(subjectBudgetView), {
    summary: 'Show a budget of a user, a member or a tag',
    errors: ['invalid-request'],
  })
  async show(
    @FromCaller() { accountId }: Caller,
    @Param('scope') scope: string,
    @Param('id') id: string,
    @Param('interval') interval: string,
    @FromQuery() query: SubjectIdDto,
  ): Promise<{ data: SubjectBudgetView }> {
    return {
      data: await this.budgets.get(accountId, readSubject(accountId, scope, id, query), readInterval(interval)),
    };
  }

  @Put(':scope/:id/:interval')
  @Answers(single(subjectBudgetView), {
    summary: 'Set a budget of a user, a member or a tag',
    description: 'The id `default` is for all in the scope who have none of their own in that interval.',
    examples: { budget: { limit_usd: 5 } },
  })
  async set(
    @FromCaller() caller: Caller,
    @Param('scope') scope: string,
    @Param('id') id: string,
    @Param('interval') interval: string,
    @FromQuery() query: SubjectIdDto,
    @FromBody() body: SetSubjectBudgetDto,
  ): Promise<{ data: SubjectBudgetView }> {
    const subject = readSubject(caller.accountId, scope, id, query);
    const limit = readUsdNumber(body.limit_usd)!;
    return { data: await this.budgets.set(caller, subject, readInterval(interval), limit) };
  }

  @Post(':scope/:id/:interval/raise')
  @HttpCode(200)
  @Answers(single(subjectBudgetView), {
    summary: 'Raise a budget for a time',
    description: 'It ends by itself, at that moment. A later raise replaces an earlier one.',
    examples: { raise: { amount_usd: 10, until: '2099-12-31T23:59:59Z' } },
  })
  async raise(
    @FromCaller() caller: Caller,
    @Param('scope') scope: string,
    @Param('id') id: string,
    @Param('interval') interval: string,
    @FromQuery() query: SubjectIdDto,
    @FromBody() body: RaiseDto,
  ): Promise<{ data: SubjectBudgetView }> {
    const subject = readSubject(caller.accountId, scope, id, query);
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
    @FromQuery() query: SubjectIdDto,
  ): Promise<{ deleted: true }> {
    await this.budgets.remove(caller, readSubject(caller.accountId, scope, id, query), readInterval(interval));
    return { deleted: true };
  }
}
