import { Controller, Get } from '@nestjs/common';
import { reachOf, type Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { PageDto } from '../shared/http/page.dto.js';
import { FromQuery } from '../shared/http/parameter-types.js';
import { part } from '../shared/http/replies.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { described, nullable, object, oneOf, text, titled, type Static } from '../shared/http/schema.js';
import { OrganizationMembers, type OrganizationMember } from './organization-members.js';

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
  constructor(private readonly members: OrganizationMembers) {}

  @Get()
  @Answers(part(organizationMemberView), {
    summary: 'List the users of the account, newest first',
    description:
      'Members of workspaces, and users that keys were made for; to a key that is bound to a workspace, those of its workspace.',
  })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: PageDto,
  ): Promise<{ data: OrganizationMemberView[]; total_count: number }> {
    const [members, total] = await this.members.list(reachOf(caller), query);
    return { data: members.map(viewMember), total_count: total };
  }
}

const viewMember = ({ userId, isAdmin }: OrganizationMember): OrganizationMemberView => ({
  id: userId,
  email: userId.includes('@') ? userId : '',
  first_name: null,
  last_name: null,
  role: isAdmin ? 'org:admin' : 'org:member',
});
