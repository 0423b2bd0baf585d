import { shortText, workspaceReference } from '../shared/http/fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { PageDto } from '../shared/http/page.dto.js';
import { PageLimit, QueryFlag } from '../shared/http/query-fields.js';

/** Query of `GET /keys`. Parameters beyond these are ignored (docs/wire/conventions.md#unknown-fields). */
export class ListKeysDto extends PageDto {
  @PageLimit()
  override limit = 100;

  @QueryFlag()
  include_disabled = false;

  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;

  /** A part of the name, in capitals or not. */
  @MayOmit()
  @Fits(shortText)
  name?: string;
}
