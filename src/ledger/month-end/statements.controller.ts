import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../../core/caller.js';
import { GatewayError } from '../../core/errors.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import { FromQuery } from '../../shared/http/parameter-types.js';
import { ClosedQuery } from '../../shared/http/query.guard.js';
import { single } from '../../shared/http/reply-schemas.js';
import { Accepts, FromCaller } from '../../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../../shared/http/row-export.js';
import { object, rows } from '../../shared/http/schema.js';
import { ListReplies } from '../../shared/http/list-replies.js';
import { GetStatementDto } from './get-statement.dto.js';
import { readMonth } from './months.js';
import { CSV_HEAD, printLine, statementLineView, viewLine } from './statement-line.js';
import { STATEMENT_FIELDS, statementView, viewStatement, type StatementView } from './statement-view.js';
import { StatementsService, type StatementWithLines } from './statements.service.js';

/** The months of the account, and their closing (docs/operate/month-end.md). */
@Controller('statements')
@Accepts('management')
@ClosedQuery()
export class StatementsController {
  constructor(
    private readonly statements: StatementsService,
    private readonly replies: ListReplies,
  ) {}

  @Get()
  @Answers(object({ data: rows(statementView) }), {
    summary: 'List the months of the account, newest first',
    description: 'Closed months do not change; open ones show the present figures.',
    errors: ['request-timed-out'],
  })
  async list(@FromCaller() { accountId }: Caller): Promise<{ data: StatementView[] }> {
    return { data: (await this.statements.list(accountId)).map(viewStatement) };
  }

  @Get(':month')
  @Answers(single(object({ ...STATEMENT_FIELDS, lines: rows(statementLineView) })), {
    summary: 'Show the statement of a month',
    description: 'The csv of a closed month always has the same bytes: `hash` is their SHA-256.',
    alsoAs: [EXPORT_TYPES.csv],
    errors: ['not-found', 'request-timed-out'],
  })
  async show(
    @FromCaller() { accountId }: Caller,
    @Param('month') month: string,
    @FromQuery() { format }: GetStatementDto,
    @Res() response: Response,
  ): Promise<void> {
    const shown = await this.statements.get(accountId, readFirst(month));
    if (format === 'csv') await this.replies.send(response, accountId, EXPORT_TYPES.csv, printCsv(shown));
    else await this.replies.send(response, accountId, 'application/json; charset=utf-8', printJson(shown));
  }

  @Post(':month/close')
  @HttpCode(200)
  @Answers(single(statementView), {
    summary: 'Close a month',
    description:
      'Only a month that has ended. Closing it again returns the same statement. Later entries for it belong to an open month.',
    errors: ['not-found', 'conflict'],
  })
  async close(@FromCaller() caller: Caller, @Param('month') month: string): Promise<{ data: StatementView }> {
    return { data: viewStatement(await this.statements.close(caller, readFirst(month))) };
  }
}

/** @throws GatewayError `invalid-request` */
function readFirst(text: string): Date {
  const month = readMonth(text);
  if (!month) throw new GatewayError('invalid-request', 'month: must be a month such as 2030-01');
  return month;
}

async function* printCsv({ statement: { month }, lines }: StatementWithLines): AsyncGenerator<string> {
  yield CSV_HEAD;
  for await (const batch of lines) yield batch.map((line) => printLine(month, line)).join('');
}

async function* printJson({ statement, lines }: StatementWithLines): AsyncGenerator<string> {
  yield `{"data":${JSON.stringify(viewStatement(statement)).slice(0, -1)},"lines":[`;
  let isFirst = true;
  for await (const batch of lines) {
    if (batch.length === 0) continue;
    const printed = batch.map((line) => JSON.stringify(viewLine(statement.month, line))).join(',');
    yield isFirst ? printed : `,${printed}`;
    isFirst = false;
  }
  yield ']}}';
}
