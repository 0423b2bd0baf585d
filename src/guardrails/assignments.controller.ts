import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { KeyHashesDto, MemberUserIdsDto } from './guardrail-bodies.dto.js';
import {
  viewKeyAssignment,
  viewMemberAssignment,
  type KeyAssignmentView,
  type MemberAssignmentView,
} from './guardrail-view.js';
import { ListAssignmentsDto, readPage } from './list-guardrails.dto.js';
import { Rulebook } from './rulebook.js';

interface Listed<View> {
  data: View[];
  total_count: number;
}

/** Whom guardrails are for (WIRE 2.9). */
@Controller('guardrails')
@Accepts('management')
export class AssignmentsController {
  constructor(private readonly rulebook: Rulebook) {}

  @Get('assignments/keys')
  async listAllKeys(
    @FromCaller() caller: Caller,
    @Query() query: ListAssignmentsDto,
  ): Promise<Listed<KeyAssignmentView>> {
    return this.keysOf(caller, undefined, query);
  }

  @Get('assignments/members')
  async listAllMembers(
    @FromCaller() caller: Caller,
    @Query() query: ListAssignmentsDto,
  ): Promise<Listed<MemberAssignmentView>> {
    return this.membersOf(caller, undefined, query);
  }

  @Get(':id/assignments/keys')
  async listKeys(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: ListAssignmentsDto,
  ): Promise<Listed<KeyAssignmentView>> {
    return this.keysOf(caller, id, query);
  }

  @Post(':id/assignments/keys')
  @HttpCode(200)
  async assignKeys(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: KeyHashesDto,
  ): Promise<{ assigned_count: number }> {
    return { assigned_count: await this.rulebook.assign(caller, id, 'key', body.key_hashes) };
  }

  @Post(':id/assignments/keys/remove')
  @HttpCode(200)
  async unassignKeys(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: KeyHashesDto,
  ): Promise<{ unassigned_count: number }> {
    return { unassigned_count: await this.rulebook.unassign(caller, id, 'key', body.key_hashes) };
  }

  @Get(':id/assignments/members')
  async listMembers(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: ListAssignmentsDto,
  ): Promise<Listed<MemberAssignmentView>> {
    return this.membersOf(caller, id, query);
  }

  @Post(':id/assignments/members')
  @HttpCode(200)
  async assignMembers(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: MemberUserIdsDto,
  ): Promise<{ assigned_count: number }> {
    return { assigned_count: await this.rulebook.assign(caller, id, 'member', body.member_user_ids) };
  }

  @Post(':id/assignments/members/remove')
  @HttpCode(200)
  async unassignMembers(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: MemberUserIdsDto,
  ): Promise<{ unassigned_count: number }> {
    return { unassigned_count: await this.rulebook.unassign(caller, id, 'member', body.member_user_ids) };
  }

  private async keysOf(
    { accountId }: Caller,
    id: string | undefined,
    query: ListAssignmentsDto,
  ): Promise<Listed<KeyAssignmentView>> {
    const [assignments, total] = await this.rulebook.listKeys(accountId, id, readPage(query));
    return { data: assignments.map(viewKeyAssignment), total_count: total };
  }

  private async membersOf(
    { accountId }: Caller,
    id: string | undefined,
    query: ListAssignmentsDto,
  ): Promise<Listed<MemberAssignmentView>> {
    const [assignments, total] = await this.rulebook.listMembers(accountId, id, readPage(query));
    return { data: assignments.map((entry) => viewMemberAssignment(entry, accountId)), total_count: total };
  }
}
