import { GatewayError } from '../core/errors.js';
import { STORABLE, UUID } from '../shared/http/field-patterns.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { pageLimit } from '../shared/http/page-fields.js';
import { compile, text } from '../shared/http/schema.js';
import type { AuditFilter } from './audit.repository.js';

const equalTo = compile(text({ min: 1, max: 255, ...STORABLE }));
const actor = compile(
  text({
    pattern: '^(operator|[0-9a-f]{64})$',
    reason: 'must be operator or the hash of a key: 64 lower-case hex characters',
  }),
);
const workspaceId = compile(text(UUID));
const cursor = compile(text({ min: 1, max: 255 }));

const LIMIT_DEFAULT = 50;

/** Query of `GET /audit`. Parameters beyond these are ignored (WIRE 0.3). */
export class ListAuditDto {
  @MayOmit()
  @Fits(pageLimit)
  limit?: string;

  @MayOmit()
  @Fits(cursor)
  cursor?: string;

  @MayOmit()
  @Fits(equalTo)
  action?: string;

  @MayOmit()
  @Fits(equalTo)
  target?: string;

  @MayOmit()
  @Fits(actor)
  actor?: string;

  @MayOmit()
  @Fits(workspaceId)
  workspace_id?: string;
}

/** A page of the log. */
export interface AuditListing {
  readonly filter: AuditFilter;
  /** Only entries below this place in the chain. */
  readonly before: number | undefined;
  readonly limit: number;
}

/**
 * The page that a valid query asks for.
 * @throws GatewayError `invalid-request` for a cursor that no page has given
 */
export function readAuditListing(query: ListAuditDto): AuditListing {
  const { action, target, actor, workspace_id: workspaceId } = query;
  return {
    filter: { action, target, actor, workspaceId },
    before: query.cursor === undefined ? undefined : readCursor(query.cursor),
    limit: Number(query.limit ?? LIMIT_DEFAULT),
  };
}

/** Where the next page begins: below this place in the chain. What is appended meanwhile stands above it and moves nothing. */
export const printCursor = (seq: number): string => Buffer.from(String(seq)).toString('base64url');

// As many digits as a number holds exactly, whatever they are.
const PLACE = /^[1-9][0-9]{0,14}$/;

function readCursor(text: string): number {
  const place = Buffer.from(text, 'base64url').toString();
  // Decoding forgives much; only what was printed is taken.
  if (PLACE.test(place) && printCursor(Number(place)) === text) return Number(place);
  throw new GatewayError('invalid-request', 'cursor: must be the next_cursor of an earlier page');
}
