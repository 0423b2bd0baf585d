import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { WorkspaceDirectory } from '../../accounts/workspace-directory.js';
import { reachOf, type Caller } from '../../core/caller.js';
import { GatewayError } from '../../core/errors.js';
import { Answers } from '../../shared/http/answers.decorator.js';
import { FromQuery } from '../../shared/http/parameter-types.js';
import { ClosedQuery } from '../../shared/http/query.guard.js';
import { Accepts, FromCaller } from '../../shared/http/route.decorators.js';
import { EXPORT_TYPES, type ExportFormat } from '../../shared/http/row-export.js';
import { object, rows } from '../../shared/http/schema.js';
import { ActivityQueryDto } from './activity-query.dto.js';
import { readActivity, type ActivityRequest } from './activity-request.js';
import { activityView } from './activity-view.js';
import { ActivityRepository } from './activity.repository.js';
import { FilterNames, namesIn } from '../check-filter-names.js';
import { ListReplies } from '../../shared/http/list-replies.js';
import { hasMoreRows, readChunks } from '../figures/figure-chunks.js';
import { FiguresRepository } from '../figures/figures.repository.js';

/** Rows of a JSON answer. Chosen: some megabytes. An export has no limit. */
const ROWS_MAX = 20_000;
/** Rows that are printed in one turn of an export. */
const PRINTED_ROWS = 200;

/** The spending of the account, or of the workspace of a bound key, by UTC days and hours. */
@Controller('activity')
@Accepts('management')
@ClosedQuery()
export class ActivityController {
  constructor(
    private readonly activity: ActivityRepository,
    private readonly names: FilterNames,
    private readonly figures: FiguresRepository,
    private readonly workspaces: WorkspaceDirectory,
    private readonly replies: ListReplies,
  ) {}

  @Get()
  @Answers(object({ data: rows(activityView) }), {
    summary: 'Show what was spent where',
    description:
      'By UTC days or hours up to this moment, the newest first, for each of up to two groups. Without `from`, `to`, `granularity` and `group_by`: for each model, endpoint and provider of the last thirty completed days.',
    alsoAs: Object.values(EXPORT_TYPES),
    errors: ['not-found', 'request-timed-out'],
  })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: ActivityQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    const { format } = query;
    const { accountId } = caller;
    const reach = reachOf(caller);
    // A mistyped key must not look like a key that spent nothing. User names cannot be checked: only the caller knows
    // them.
    for (const name of ['api_key_hash', 'key'] as const)
      if (query[name] !== undefined && !(await this.activity.hasKey(reach, query[name])))
        throw new GatewayError('not-found', `${name}: there is no such key`);
    await this.names.assertKnown(accountId, namesIn(query, ['model', 'provider', 'endpoint']));
    const request = readActivity(query, {
      accountId,
      today: await this.activity.today(),
      workspaceId: await this.workspaces.idEvenIfDeleted(reach, query.workspace_id),
      limit: format === undefined ? ROWS_MAX + 1 : Number.MAX_SAFE_INTEGER,
    });
    if (format === undefined) response.json({ data: await this.readAll(request) });
    else await this.export(response, request, format);
  }

  private async readAll({ query, view }: ActivityRequest): Promise<readonly object[]> {
    // Counting takes a part of the time of summing up, where groups are many.
    const isDetailed = query.dimensions.some(({ dimension }) => dimension.detail !== undefined);
    if (isDetailed && (await hasMoreRows(this.figures, query, ROWS_MAX))) throw tooManyRows();
    const data: object[] = [];
    for await (const chunk of readChunks(this.figures, query)) {
      if (data.length + chunk.length > ROWS_MAX) throw tooManyRows();
      for (const row of chunk) data.push(view(row));
    }
    return data;
  }

  private async export(
    response: Response,
    { query, view, columns }: ActivityRequest,
    format: ExportFormat,
  ): Promise<void> {
    const { figures } = this;
    async function* viewed(): AsyncGenerator<readonly ReturnType<ActivityRequest['view']>[]> {
      for await (const chunk of readChunks(figures, query))
        for (let from = 0; from < chunk.length; from += PRINTED_ROWS)
          yield chunk.slice(from, from + PRINTED_ROWS).map(view);
    }
    await this.replies.export(response, { accountId: query.accountId, format, columns, batches: viewed() });
  }
}

const tooManyRows = (): GatewayError =>
  new GatewayError(
    'invalid-request',
    `group_by: these are more than ${ROWS_MAX} rows; give a shorter range or a filter, or format=csv`,
  );
