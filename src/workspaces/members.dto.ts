import { Closed } from '../shared/http/closed.decorator.js';
import { names } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';

// A user is an opaque text, as with keys.
const userIds = names({ min: 1, max: 100 });

/** Body of `POST /workspaces/{id or slug}/members/add` and `…/remove`. */
@Closed()
export class MembersDto {
  @Fits(userIds)
  user_ids!: string[];
}
