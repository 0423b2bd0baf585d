import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { derivedId } from '../accounts/derived-id.js';
import { reachOf, type Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { ExportedPageDto } from '../shared/http/exported-page.dto.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { part } from '../shared/http/reply-schemas.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import { integer, literal, moment, object, rows, text, titled, type Static } from '../shared/http/schema.js';
import { MembersDto } from './members.dto.js';
import { WorkspaceMembers, type WorkspaceMember } from './workspace-members.js';

/** A membership as management sees it. */
const memberView = titled(
  'member',
  object({ id: text(), workspace_id: text(), user_id: text(), role: literal('member'), created_at: moment() }),
);
type MemberView = Static<typeof memberView>;

/** The members of a workspace (docs/operate/workspaces.md#calls). */
@Controller('workspaces/:reference/members')
@Accepts('management')
export class MembersController {
  constructor(
    private readonly members: WorkspaceMembers,
    private readonly replies: ListReplies,
  ) {}

  @Get()
  @Answers(part(memberView), {
    summary: 'List the members of a workspace',
    description: '`format` sends all of them instead.',
    alsoAs: Object.values(EXPORT_TYPES),
  })
  async list(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
    @FromQuery() query: ExportedPageDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.replies.sendPart(response, query, {
      accountId: caller.accountId,
      view: memberView,
      read: async (page) => {
        const [members, total, last] = await this.members.list(reachOf(caller), reference, page);
        return [members.map(viewMember), total, last];
      },
    });
  }

  @Post('add')
  @HttpCode(200)
  @Answers(object({ data: rows(memberView), added_count: integer() }), {
    summary: 'Add members to a workspace',
    examples: { members: { user_ids: ['user-1', 'user-2'] } },
  })
  async add(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
    @FromBody() body: MembersDto,
  ): Promise<{ data: MemberView[]; added_count: number }> {
    const added = await this.members.add(caller, reference, body.user_ids);
    return { data: added.map(viewMember), added_count: added.length };
  }

  @Post('remove')
  @HttpCode(200)
  @Answers(object({ removed_count: integer() }), {
    summary: 'Remove members from a workspace',
    examples: { members: { user_ids: ['user-1', 'user-2'] } },
  })
  async remove(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
    @FromBody() body: MembersDto,
  ): Promise<{ removed_count: number }> {
    return { removed_count: await this.members.remove(caller, reference, body.user_ids) };
  }
}

const viewMember = ({ workspaceId, userId, createdAt }: WorkspaceMember): MemberView => ({
  id: derivedId('member', workspaceId, userId),
  workspace_id: workspaceId,
  user_id: userId,
  role: 'member',
  created_at: createdAt.toISOString(),
});
