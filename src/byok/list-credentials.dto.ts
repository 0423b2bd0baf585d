import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { pageLimit, pageOffset } from '../shared/http/page-fields.js';
import { slugText, workspaceId } from './credential-fields.js';
import type { CredentialListing } from './credentials.repository.js';

// Bounded, so that it stays an exact integer for the store too.

const LIMIT_DEFAULT = 50;

/** Query of `GET /byok` (WIRE 1.24). Parameters beyond these are ignored (WIRE 0.3). */
export class ListCredentialsDto {
  @MayOmit()
  @Fits(pageOffset)
  offset?: string;

  @MayOmit()
  @Fits(pageLimit)
  limit?: string;

  @MayOmit()
  @Fits(workspaceId)
  workspace_id?: string;

  @MayOmit()
  @Fits(slugText)
  provider?: string;
}

/** The page that a valid query asks for. */
export function readCredentialListing(query: ListCredentialsDto): CredentialListing {
  return {
    offset: Number(query.offset ?? 0),
    limit: Number(query.limit ?? LIMIT_DEFAULT),
    ...(query.workspace_id !== undefined && { workspaceId: query.workspace_id }),
    ...(query.provider !== undefined && { provider: query.provider }),
  };
}
