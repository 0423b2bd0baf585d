import { Controller, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { WorkspaceDirectory } from '../../accounts/workspace-directory.js';
import { reachOf, type Caller } from '../../core/caller.js';
import { usdNumber } from '../../core/money/credits.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import { single } from '../../shared/http/reply-schemas.js';
import { FromBody, FromQuery } from '../../shared/http/parameter-types.js';
import { EXPORT_TYPES } from '../../shared/http/row-export.js';
import { Accepts, FromCaller } from '../../shared/http/route.decorators.js';
import { nullable, number, object, rows, text, titled, described, type Static } from '../../shared/http/schema.js';
import { answerList } from '../send-ledger-list.js';
import { ListReplies } from '../../shared/http/list-replies.js';
import { CreditEntriesRepository, type StoredEntry } from './credit-entries.repository.js';
import { creditEntryView, ENTRY_COLUMNS, viewEntry, type CreditEntryView } from './credit-entry-view.js';
import { EnterCreditsDto, readNewCredits } from './credits.dto.js';
import { CreditsService } from './credits.service.js';
import { creditsView, viewCredits, type CreditsView } from './entered-credits.js';
import { findVerification, verificationView, type VerificationView } from '../verify/kept-verification.js';
import { ListEntriesDto } from './list-entries.dto.js';
import { assertBounded } from '../list-query.dto.js';
import { SpendingWindows } from '../spending-windows.js';

/** The amount that the account may spend (docs/operate/keys.md#credits). */
const balanceView = titled(
  'balance',
  object({
    total_credits: described('All credits that ever came in; null is unlimited.', nullable(number())),
    total_usage: number(),
  }),
);
type BalanceView = Static<typeof balanceView>;

/** The credits of the account (docs/operate/keys.md#credits). */
@Controller('credits')
@Accepts('management')
export class CreditsController {
  constructor(
    private readonly credits: CreditsService,
    private readonly windows: SpendingWindows,
    private readonly entries: CreditEntriesRepository,
    private readonly workspaces: WorkspaceDirectory,
    private readonly replies: ListReplies,
    private readonly database: DataSource,
  ) {}

  /** Read from the counter that decides whether a call is admitted. */
  @Get()
  @Answers(single(balanceView), { summary: 'Show the credits of the account' })
  async show(@FromCaller() { accountId }: Caller): Promise<{ data: BalanceView }> {
    const { limit, used } = await this.windows.ofAccount(accountId);
    return { data: { total_credits: limit === null ? null : usdNumber(limit), total_usage: usdNumber(used) } };
  }

  @Get('entries')
  @Answers(object({ data: rows(creditEntryView), next_cursor: nullable(text()) }), {
    summary: 'List what was entered and spent, newest first',
    description:
      'Credits that were entered, charges of generations and their corrections; a key that is bound to a workspace sees its charges and corrections alone. `next_cursor` is null on the last page alone. `format` sends all of the range instead, as fast as it is read.',
    alsoAs: Object.values(EXPORT_TYPES),
    errors: ['not-found'],
  })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: ListEntriesDto,
    @Res() response: Response,
  ): Promise<void> {
    const { from, to, kind } = query;
    const { accountId, boundTo } = caller;
    const workspaceId = await this.workspaces.idEvenIfDeleted(reachOf(caller), query.workspace_id);
    // A bound key has no list without a workspace: like that of an account, it needs no range.
    assertBounded(query, workspaceId === undefined || boundTo !== undefined ? undefined : 'workspace_id');
    const filter = { accountId, from, to, kind, workspaceId };
    await answerList<StoredEntry, CreditEntryView>(response, query, {
      query: { list: 'credit entries', ...filter, from: from?.getTime(), to: to?.getTime() },
      read: (after, limit) => this.entries.read(filter, after, limit),
      view: viewEntry,
      columns: ENTRY_COLUMNS,
      accountId,
      replies: this.replies,
    });
  }

  @Get('verification')
  @Answers(object({ data: nullable(verificationView) }), {
    summary: 'Show the result of the last verification of the ledger',
    description: 'That of `ledger:verify`, over all accounts; null before the first.',
  })
  async verification(): Promise<{ data: VerificationView | null }> {
    return { data: await findVerification(this.database) };
  }

  @Post()
  @Answers(single(creditsView), {
    summary: 'Enter credits',
    description: 'The same `idempotency_key` enters them once.',
    errors: ['conflict'],
    examples: {
      purchase: { amount: 100, note: 'Invoice 2030-17', idempotency_key: 'invoice-2030-17' },
      adjustment: { amount: -2.5, kind: 'adjustment' },
      refund: { amount: -100, kind: 'refund', note: 'Invoice 2030-17, cancelled' },
    },
  })
  async enter(@FromCaller() caller: Caller, @FromBody() body: EnterCreditsDto): Promise<{ data: CreditsView }> {
    return { data: viewCredits(await this.credits.enter(caller, readNewCredits(body))) };
  }
}
