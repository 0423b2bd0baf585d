import { Transform } from 'class-transformer';
import { GatewayError } from '../core/errors.js';
import { shortText, workspaceReference } from '../shared/http/fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { PageLimit } from '../shared/http/query-fields.js';
import { compile, oneOf, text } from '../shared/http/schema.js';
import { AUDIT_ACTIONS } from './audit-actions.js';

const actor = compile(
  text({
    pattern: '^(operator|[0-9a-f]{64})$',
    reason: 'must be operator or the hash of a key: 64 lower-case hex characters',
  }),
);
const action = compile(oneOf(AUDIT_ACTIONS));
const cursor = compile(text({ min: 1, max: 255 }));

/** Query of `GET /audit`. */
export class ListAuditDto {
  @PageLimit()
  limit = 50;

  /** Place in the chain that the page begins below. */
  @MayOmit()
  @Fits(cursor)
  @Transform(({ value }) => readCursor(value as string))
  cursor?: number;

  @MayOmit()
  @Fits(action)
  action?: string;

  @MayOmit()
  @Fits(shortText)
  target?: string;

  @MayOmit()
  @Fits(actor)
  actor?: string;

  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;
}

/**
 * Where the next page begins: below this place in the chain. What is appended meanwhile stands
 * above it and moves nothing.
 */
export const printCursor = (seq: number): string => Buffer.from(String(seq)).toString('base64url');

// As many digits as a number holds exactly, whatever they are.
const PLACE = /^[1-9][0-9]{0,14}$/;

/** @throws GatewayError `invalid-request` for a cursor that no page has given */
function readCursor(text: string): number {
  const place = Buffer.from(text, 'base64url').toString();
  // Decoding forgives much; only what was printed is taken.
  if (PLACE.test(place) && printCursor(Number(place)) === text) return Number(place);
  throw new GatewayError('invalid-request', 'cursor: must be the next_cursor of an earlier page');
}
