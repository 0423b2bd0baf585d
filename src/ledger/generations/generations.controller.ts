import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { WorkspaceDirectory } from '../../accounts/workspace-directory.js';
import { reachOf, type Caller } from '../../core/caller.js';
import { shortEndUser } from '../../core/end-user.js';
import { GatewayError } from '../../core/errors.js';
import { FromQuery } from '../../shared/http/parameter-types.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import type { ListQuery } from '../../shared/http/page-cursor.js';
import { ClosedQuery } from '../../shared/http/query.guard.js';
import { EXPORT_TYPES } from '../../shared/http/row-export.js';
import { FromCaller } from '../../shared/http/route.decorators.js';
import { nullable, object, rows, text } from '../../shared/http/schema.js';
import { ActivityRepository } from '../activity/activity.repository.js';
import { answerList } from '../send-ledger-list.js';
import { ListReplies } from '../../shared/http/list-replies.js';
import {
  GenerationListRepository,
  isIndexed,
  type GenerationFilter,
  type ListedGeneration,
} from './generation-list.repository.js';
import { FilterNames, namesIn } from '../check-filter-names.js';
import { outcomesAnswered, type Outcome } from './generation-outcomes.js';
import { generationRecordView, RECORD_COLUMNS, viewRecord, type GenerationRecordView } from './generation-view.js';
import { ListGenerationsDto } from './list-generations.dto.js';
import { assertBounded } from '../list-query.dto.js';

/** Filters that no index answers, in the order in which they are named. */
const UNINDEXED = ['model', 'provider', 'member', 'outcome', 'status', 'error_type', 'min_cost', 'api', 'tag'] as const;

/**
 * Settled generations, newest first: an inference key sees its own, a management key those of its account or, where it
 * is bound, of its workspace.
 */
@Controller('generations')
@ClosedQuery()
export class GenerationsController {
  constructor(
    private readonly generations: GenerationListRepository,
    private readonly activity: ActivityRepository,
    private readonly names: FilterNames,
    private readonly workspaces: WorkspaceDirectory,
    private readonly replies: ListReplies,
  ) {}

  @Get()
  @Answers(object({ data: rows(generationRecordView), next_cursor: nullable(text()) }), {
    summary: 'List generations, newest first',
    description:
      'An inference key sees its own, a management key those of its account or, where it is bound, of its workspace. `next_cursor` is null on the last page alone: where few entries fit the filters, a page may have fewer than `limit`, even none. `format` sends all of the range instead, as fast as it is read.',
    alsoAs: Object.values(EXPORT_TYPES),
    errors: ['not-found'],
  })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: ListGenerationsDto,
    @Res() response: Response,
  ): Promise<void> {
    const filter = await this.readFilter(caller, query);
    await this.names.assertKnown(caller.accountId, namesIn(query, ['model', 'provider']));
    assertBounded(query, isIndexed(filter) ? undefined : UNINDEXED.find((name) => query[name] !== undefined));
    await answerList<ListedGeneration, GenerationRecordView>(response, query, {
      query: nameOf(filter),
      read: (after, limit) => this.generations.read(filter, after, limit),
      view: viewRecord,
      columns: RECORD_COLUMNS,
      accountId: caller.accountId,
      replies: this.replies,
    });
  }

  private async readFilter(caller: Caller, query: ListGenerationsDto): Promise<GenerationFilter> {
    const { accountId } = caller;
    return {
      accountId,
      from: query.from,
      to: query.to,
      keyHash: await this.keyOf(caller, query.key),
      workspaceId: await this.workspaceOf(caller, query.workspace_id),
      sessionId: query.session_id,
      user: query.user && shortEndUser(query.user),
      member: query.member,
      model: query.model,
      provider: query.provider,
      api: query.api,
      outcomes: outcomesOf(query),
      minCost: query.min_cost,
      tags: query.tag,
    };
  }

  /** A mistyped key must not look like a key that requested nothing. Deleted keys are found. */
  private async keyOf(caller: Caller, named: string | undefined): Promise<string | undefined> {
    const { kind, keyHash: own } = caller;
    const isAllowed =
      kind === 'management'
        ? named === undefined || (await this.activity.hasKey(reachOf(caller), named))
        : (named ?? own) === own;
    if (!isAllowed) throw new GatewayError('not-found', 'key: there is no such key');
    return kind === 'management' ? named : own;
  }

  private async workspaceOf(caller: Caller, named: string | undefined): Promise<string | undefined> {
    const id = await this.workspaces.idEvenIfDeleted(reachOf(caller), named);
    if (id === undefined || caller.kind === 'management' || id === caller.workspaceId) return id;
    throw new GatewayError('not-found', 'workspace_id: there is no such workspace');
  }
}

/** The outcomes that fit all of `outcome`, `status` and `error_type`; undefined: any. */
function outcomesOf({ outcome, status, error_type: errorType }: ListGenerationsDto): readonly Outcome[] | undefined {
  if (outcome === undefined && status === undefined && errorType === undefined) return undefined;
  const answered = outcomesAnswered(status, errorType);
  return outcome === undefined ? answered : answered.filter((candidate) => candidate === outcome);
}

const nameOf = ({ from, to, outcomes, minCost, tags, ...others }: GenerationFilter): ListQuery => ({
  list: 'generations',
  ...others,
  from: from?.getTime(),
  to: to?.getTime(),
  outcomes: outcomes?.join(),
  minCost: minCost?.toString(),
  tags: tags && JSON.stringify(tags),
});
