import { STORABLE } from '../shared/http/field-patterns.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { compile, list, text } from '../shared/http/schema.js';

// A user is an opaque text, as with keys.
const userIds = compile(list(text({ min: 1, max: 255, ...STORABLE }), { min: 1, max: 100 }));

/** Body of `POST /workspaces/{id or slug}/members/add` and `…/remove`. */
export class MembersDto {
  @Fits(userIds)
  user_ids!: string[];
}
