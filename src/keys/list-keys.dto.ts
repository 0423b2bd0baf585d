import type { KeyKind } from '../core/caller.js';
import { shortText, workspaceReference } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { ExportedPageDto } from '../shared/http/exported-page.dto.js';
import { PageLimit, QueryFlag } from '../shared/http/query-validators.js';
import { compile, oneOf } from '../shared/http/schema.js';
import { kindOfKey } from './key-fields.js';

/** Orders of a list: by most usage, or the newest first. */
export const KEY_SORTS = ['created_at', 'usage', 'last_used_at'] as const;
export type KeySort = (typeof KEY_SORTS)[number];
const order = compile(oneOf(KEY_SORTS));

/** Query of `GET /keys` (docs/operate/keys.md#lists). */
export class ListKeysDto extends ExportedPageDto {
  @PageLimit()
  override limit = 100;

  @QueryFlag()
  include_disabled = false;

  @QueryFlag()
  include_deleted?: boolean;

  /** Only disabled keys, or none of them, whatever `include_disabled` is. */
  @QueryFlag()
  disabled?: boolean;

  @MayOmit()
  @Fits(kindOfKey)
  kind?: KeyKind;

  @MayOmit()
  @Fits(shortText)
  creator_user_id?: string;

  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;

  /** A part of the name, case-insensitive. */
  @MayOmit()
  @Fits(shortText)
  name?: string;

  @MayOmit()
  @Fits(order)
  sort?: KeySort;
}
