import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { reachOf, type Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { PageDto } from '../shared/http/page.dto.js';
import { part } from '../shared/http/replies.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { integer, object } from '../shared/http/schema.js';
import { KeyHashesDto, MemberUserIdsDto } from './guardrail-bodies.dto.js';
import {
  keyAssignmentView,
  memberAssignmentView,
  viewKeyAssignment,
  viewMemberAssignment,
  type KeyAssignmentView,
  type MemberAssignmentView,
} from './guardrail-view.js';
import { GuardrailsService } from './guardrails.service.js';

interface Listed<View> {
  data: View[];
  total_count: number;
}

const assigned = object({ assigned_count: integer() });
const unassigned = object({ unassigned_count: integer() });
const KEYS = { keys: { key_hashes: ['0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'] } };
const MEMBERS = { members: { member_user_ids: ['user-1'] } };

/** Assignments of guardrails to keys and members (docs/operate/guardrails.md#routes). */
@Controller('guardrails')
@Accepts('management')
export class AssignmentsController {
  constructor(private readonly guardrailsService: GuardrailsService) {}

  @Get('assignments/keys')
  @Answers(part(keyAssignmentView), { summary: 'List which guardrails are for which keys' })
  async listAllKeys(@FromCaller() caller: Caller, @FromQuery() query: PageDto): Promise<Listed<KeyAssignmentView>> {
    return this.keysOf(caller, undefined, query);
  }

  @Get('assignments/members')
  @Answers(part(memberAssignmentView), { summary: 'List which guardrails are for which members' })
  async listAllMembers(
    @FromCaller() caller: Caller,
    @FromQuery() query: PageDto,
  ): Promise<Listed<MemberAssignmentView>> {
    return this.membersOf(caller, undefined, query);
  }

  @Get(':id/assignments/keys')
  @Answers(part(keyAssignmentView), { summary: 'List the keys that a guardrail is for' })
  async listKeys(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromQuery() query: PageDto,
  ): Promise<Listed<KeyAssignmentView>> {
    return this.keysOf(caller, id, query);
  }

  @Post(':id/assignments/keys')
  @HttpCode(200)
  @Answers(assigned, { summary: 'Assign keys to a guardrail', examples: KEYS })
  async assignKeys(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: KeyHashesDto,
  ): Promise<{ assigned_count: number }> {
    return { assigned_count: await this.guardrailsService.assign(caller, id, 'key', body.key_hashes) };
  }

  @Post(':id/assignments/keys/remove')
  @HttpCode(200)
  @Answers(unassigned, { summary: 'Take keys from a guardrail', examples: KEYS })
  async unassignKeys(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: KeyHashesDto,
  ): Promise<{ unassigned_count: number }> {
    return { unassigned_count: await this.guardrailsService.unassign(caller, id, 'key', body.key_hashes) };
  }

  @Get(':id/assignments/members')
  @Answers(part(memberAssignmentView), { summary: 'List the members that a guardrail is for' })
  async listMembers(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromQuery() query: PageDto,
  ): Promise<Listed<MemberAssignmentView>> {
    return this.membersOf(caller, id, query);
  }

  @Post(':id/assignments/members')
  @HttpCode(200)
  @Answers(assigned, { summary: 'Assign members to a guardrail', examples: MEMBERS })
  async assignMembers(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: MemberUserIdsDto,
  ): Promise<{ assigned_count: number }> {
    return { assigned_count: await this.guardrailsService.assign(caller, id, 'member', body.member_user_ids) };
  }

  @Post(':id/assignments/members/remove')
  @HttpCode(200)
  @Answers(unassigned, { summary: 'Take members from a guardrail', examples: MEMBERS })
  async unassignMembers(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: MemberUserIdsDto,
  ): Promise<{ unassigned_count: number }> {
    return { unassigned_count: await this.guardrailsService.unassign(caller, id, 'member', body.member_user_ids) };
  }

  private async keysOf(caller: Caller, id: string | undefined, query: PageDto): Promise<Listed<KeyAssignmentView>> {
    const [assignments, total] = await this.guardrailsService.listKeys(reachOf(caller), id, query);
    return { data: assignments.map(viewKeyAssignment), total_count: total };
  }

  private async membersOf(
    caller: Caller,
    id: string | undefined,
    query: PageDto,
  ): Promise<Listed<MemberAssignmentView>> {
    const { accountId } = caller;
    const [assignments, total] = await this.guardrailsService.listMembers(reachOf(caller), id, query);
    return { data: assignments.map((entry) => viewMemberAssignment(entry, accountId)), total_count: total };
  }
}
