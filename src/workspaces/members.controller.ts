import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { derivedId } from './derived-id.js';
import { MembersDto } from './members.dto.js';
import { PageDto, readPage } from './page.dto.js';
import { WorkspaceMembers, type WorkspaceMember } from './workspace-members.js';

/** A membership as management sees it. */
interface MemberView {
  id: string;
  workspace_id: string;
  user_id: string;
  /** There are no others here. */
  role: 'member';
  created_at: string;
}

/** Who belongs to a workspace (WIRE 2.8). */
@Controller('workspaces/:reference/members')
@Accepts('management')
export class MembersController {
  constructor(private readonly members: WorkspaceMembers) {}

  @Get()
  async list(
    @FromCaller() { accountId }: Caller,
    @Param('reference') reference: string,
    @Query() query: PageDto,
  ): Promise<{ data: MemberView[]; total_count: number }> {
    const [members, total] = await this.members.list(accountId, reference, readPage(query));
    return { data: members.map(viewMember), total_count: total };
  }

  @Post('add')
  @HttpCode(200)
  async add(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
    @Body() body: MembersDto,
  ): Promise<{ data: MemberView[]; added_count: number }> {
    const added = await this.members.add(caller, reference, body.user_ids);
    return { data: added.map(viewMember), added_count: added.length };
  }

  @Post('remove')
  @HttpCode(200)
  async remove(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
    @Body() body: MembersDto,
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
