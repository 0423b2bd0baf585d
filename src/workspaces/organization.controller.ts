import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { reachOf, type Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { ExportedPageDto } from '../shared/http/exported-page.dto.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { FromQuery } from '../shared/http/parameter-types.js';
import { part } from '../shared/http/reply-schemas.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import { described, nullable, object, oneOf, text, titled, type Static } from '../shared/http/schema.js';
import { OrganizationMembers, type OrganizationMember } from './organization-members.js';

/** Chosen: some hundred kilobytes. */
const USERS_AT_ONCE = 5_000;

const organizationMemberView = titled(
  'organization-member',
  object({
    id: described('The user, as `creator_user_id` and `user_ids` name it.', text()),
    email: described('The id where it is an address, else empty.', text()),
    first_name: described('Not known to this gateway: null.', nullable(text())),
    last_name: described('Not known to this gateway: null.', nullable(text())),
    role: described('`org:admin`: has a management key of the account.', oneOf(['org:admin', 'org:member'])),
  }),
);
type OrganizationMemberView = Static<typeof organizationMemberView>;

/** The users of the account, or of the workspace of a bound key (docs/operate/workspaces.md#calls). */
@Controller('organization/members')
@Accepts('management')
export class OrganizationController {
  constructor(
    private readonly members: OrganizationMembers,
    private readonly replies: ListReplies,
  ) {}

  @Get()
  @Answers(part(organizationMemberView), {
    summary: 'List the users of the account, newest first',
    description:
      'Members of workspaces, and users that keys were made for; to a key that is bound to a workspace, those of its workspace. `format` sends all of them instead of a page.',
    alsoAs: Object.values(EXPORT_TYPES),
  })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: ExportedPageDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.replies.sendPart(response, query, {
      accountId: caller.accountId,
      view: organizationMemberView,
      batch: USERS_AT_ONCE,
      read: async (page) => {
        const [members, total, last] = await this.members.list(reachOf(caller), page);
        return [members.map(viewMember), total, last];
      },
    });
  }
}

const viewMember = ({ userId, isAdmin }: OrganizationMember): OrganizationMemberView => ({
  id: userId,
  email: userId.includes('@') ? userId : '',
  first_name: null,
  last_name: null,
  role: isAdmin ? 'org:admin' : 'org:member',
});
