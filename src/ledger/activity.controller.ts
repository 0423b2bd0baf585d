import { Controller, Get, Query } from '@nestjs/common';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import {
  integer,
  number,
  object,
  optional,
  rows,
  text,
  titled,
  described,
  type Static,
} from '../shared/http/schema.js';
import { ActivityQueryDto, printDay, readDays } from './activity-query.dto.js';
import { ActivityRepository, type ActivityRow } from './activity.repository.js';

/** What one endpoint came to on one UTC day (docs/wire/accounting.md#get-activity). */
const activityView = titled(
  'activity',
  object({
    date: text(),
    model: text(),
    model_permaslug: text(),
    endpoint_id: text(),
    provider_name: text(),
    usage: number(),
    byok_usage_inference: number(),
    operator_cost: described('USD that providers ask for and nobody is charged for.', number()),
    requests: integer(),
    prompt_tokens: integer(),
    completion_tokens: integer(),
    reasoning_tokens: integer(),
    workspace_id: optional(described('Where it was grouped by workspace.', text())),
    workspace_name: optional(described('Beside `workspace_id`, of a deleted workspace as well.', text())),
  }),
);
type ActivityView = Static<typeof activityView>;

/** What the account has spent where, by completed UTC days. */
@Controller('activity')
@Accepts('management')
export class ActivityController {
  constructor(
    private readonly activity: ActivityRepository,
    private readonly workspaces: WorkspaceDirectory,
  ) {}

  @Get()
  @Answers(object({ data: rows(activityView) }), {
    summary: 'Show what was spent where',
    description: 'By completed UTC days, the newest first: the last thirty, or the one that is asked for.',
    errors: ['not-found'],
  })
  async list(@FromCaller() { accountId }: Caller, @Query() query: ActivityQueryDto): Promise<{ data: ActivityView[] }> {
    const { api_key_hash: keyHash, user_id: userId } = query;
    const days = readDays(query.date, await this.activity.today());
    // A mistyped name must not look like a key that spent nothing. Users are known to nobody but the caller.
    if (keyHash !== undefined && !(await this.activity.hasKey(accountId, keyHash)))
      throw new GatewayError('not-found', 'api_key_hash: there is no such key');
    const workspaceId = await this.workspaces.idEvenIfDeleted(accountId, query.workspace_id);
    const filter = { keyHash, userId, workspaceId, byWorkspace: query.group_by === 'workspace' };
    const data: ActivityView[] = [];
    // Day by day, so that those who wait for the database have their turn in between; embedded, it is one
    // session in this process.
    for (const day of days) {
      for (const row of await this.activity.sumDay(accountId, day, filter)) data.push(viewActivity(day, row));
    }
    return { data };
  }
}

/** Sums become JSON numbers here and nowhere earlier. */
function viewActivity(day: Date, row: ActivityRow): ActivityView {
  return {
    date: printDay(day),
    model: row.model,
    // Models of the catalog have one name.
    model_permaslug: row.model,
    endpoint_id: row.endpoint,
    provider_name: row.provider_name,
    usage: Number(row.cost),
    byok_usage_inference: Number(row.byok_cost),
    operator_cost: Number(row.operator_cost),
    requests: Number(row.requests),
    prompt_tokens: Number(row.prompt_tokens),
    completion_tokens: Number(row.completion_tokens),
    reasoning_tokens: Number(row.reasoning_tokens),
    ...(row.workspace_id !== null && { workspace_id: row.workspace_id }),
    ...(row.workspace_name !== null && { workspace_name: row.workspace_name }),
  };
}
