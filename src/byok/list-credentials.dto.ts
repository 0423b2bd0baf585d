import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, text } from '../shared/http/schema.js';
import { slugText, workspaceId } from './credential-fields.js';
import type { CredentialListing } from './credentials.repository.js';

// Bounded, so that it stays an exact integer for the store too.
const offset = compile(text({ pattern: '^[0-9]{1,9}$', reason: 'must be an integer from 0 to 999999999' }));
const limit = compile(text({ pattern: '^([1-9][0-9]?|100)$', reason: 'must be an integer from 1 to 100' }));

const LIMIT_DEFAULT = 50;

/** Query of `GET /byok` (WIRE 1.24). Parameters beyond these are ignored (WIRE 0.3). */
export class ListCredentialsDto {
  @MayOmit()
  @Fits(offset)
  offset?: string;

  @MayOmit()
  @Fits(limit)
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
