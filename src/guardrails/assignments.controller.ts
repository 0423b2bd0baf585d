import { Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { reachOf, type Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { ExportedPageDto } from '../shared/http/exported-page.dto.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { part } from '../shared/http/reply-schemas.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import { integer, object } from '../shared/http/schema.js';
import { KeyHashesDto, MemberUserIdsDto } from './guardrail-bodies.dto.js';
import { keyAssignmentView, memberAssignmentView, viewKeyAssignment, viewMemberAssignment } from './guardrail-view.js';
import { GuardrailsService } from './guardrails.service.js';

/** The description of the export that each list of assignments has. */
const EXPORTED = {
  description: '`format` sends all of them instead.',
  alsoAs: Object.values(EXPORT_TYPES),
};

const assigned = object({ assigned_count: integer() });
const unassigned = object({ unassigned_count: integer() });
const KEYS = { keys: { key_hashes: ['0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'] } };
const MEMBERS = { members: { member_user_ids: ['user-1'] } };

/** Assignments of guardrails to keys and members (docs/operate/guardrails.md#routes). */
@Controller('guardrails')
@Accepts('management')
export class AssignmentsController {
  constructor(
    private readonly guardrailsService: GuardrailsService,
    private readonly replies: ListReplies,
  ) {}

  @Get('assignments/keys')
  @Answers(part(keyAssignmentView), { summary: 'List the assignments of guardrails to keys', ...EXPORTED })
  async listAllKeys(
    @FromCaller() caller: Caller,
    @FromQuery() query: ExportedPageDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendKeys(response, caller, undefined, query);
  }

  @Get('assignments/members')
  @Answers(part(memberAssignmentView), { summary: 'List the assignments of guardrails to members', ...EXPORTED })
  async listAllMembers(
    @FromCaller() caller: Caller,
    @FromQuery() query: ExportedPageDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendMembers(response, caller, undefined, query);
  }

  @Get(':id/assignments/keys')
  @Answers(part(keyAssignmentView), { summary: 'List the keys of a guardrail', ...EXPORTED })
  async listKeys(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromQuery() query: ExportedPageDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendKeys(response, caller, id, query);
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
  @Answers(unassigned, { summary: 'Unassign keys from a guardrail', examples: KEYS })
  async unassignKeys(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: KeyHashesDto,
  ): Promise<{ unassigned_count: number }> {
    return { unassigned_count: await this.guardrailsService.unassign(caller, id, 'key', body.key_hashes) };
  }

  @Get(':id/assignments/members')
  @Answers(part(memberAssignmentView), { summary: 'List the members of a guardrail', ...EXPORTED })
  async listMembers(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromQuery() query: ExportedPageDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendMembers(response, caller, id, query);
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
  @Answers(unassigned, { summary: 'Unassign members from a guardrail', examples: MEMBERS })
  async unassignMembers(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: MemberUserIdsDto,
  ): Promise<{ unassigned_count: number }> {
    return { unassigned_count: await this.guardrailsService.unassign(caller, id, 'member', body.member_user_ids) };
  }

  private async sendKeys(
    response: Response,
    caller: Caller,
    id: string | undefined,
    query: ExportedPageDto,
  ): Promise<void> {
    await this.replies.sendPart(response, query, {
      accountId: caller.accountId,
      view: keyAssignmentView,
      read: async (page) => {
        const [assignments, total, last] = await this.guardrailsService.listKeys(reachOf(caller), id, page);
        return [assignments.map(viewKeyAssignment), total, last];
      },
    });
  }

  private async sendMembers(
    response: Response,
    caller: Caller,
    id: string | undefined,
    query: ExportedPageDto,
  ): Promise<void> {
    const { accountId } = caller;
    await this.replies.sendPart(response, query, {
      accountId,
      view: memberAssignmentView,
      read: async (page) => {
        const [assignments, total, last] = await this.guardrailsService.listMembers(reachOf(caller), id, page);
        return [assignments.map((entry) => viewMemberAssignment(entry, accountId)), total, last];
      },
    });
  }
}
