import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { pageLimit, pageOffset } from '../shared/http/page-fields.js';
import { compile, oneOf } from '../shared/http/schema.js';
import { workspaceId } from './key-fields.js';
import type { KeyListing } from './keys.repository.js';

// Bounded, so that it stays an exact integer for the store too.
const trueOrFalse = compile(oneOf(['true', 'false']));

const LIMIT_DEFAULT = 100;

/** Query of `GET /keys`. Parameters beyond these are ignored (WIRE 0.3). */
export class ListKeysDto {
  @MayOmit()
  @Fits(pageOffset)
  offset?: string;

  @MayOmit()
  @Fits(pageLimit)
  limit?: string;

  @MayOmit()
  @Fits(trueOrFalse)
  include_disabled?: 'true' | 'false';

  @MayOmit()
  @Fits(workspaceId)
  workspace_id?: string;
}

/** The page that a valid query asks for. */
export function readKeyListing(query: ListKeysDto): KeyListing {
  return {
    offset: Number(query.offset ?? 0),
    limit: Number(query.limit ?? LIMIT_DEFAULT),
    includeDisabled: query.include_disabled === 'true',
    ...(query.workspace_id !== undefined && { workspaceId: query.workspace_id }),
  };
}
