import { Transform } from 'class-transformer';
import { GatewayError } from '../core/errors.js';
import { shortText, workspaceReference } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { PageLimit, QueryExport } from '../shared/http/query-validators.js';
import type { ExportFormat } from '../shared/http/row-export.js';
import { compile, oneOf, text } from '../shared/http/schema.js';
import { AUDIT_ACTIONS } from './audit-actions.js';

const actor = compile(
  text({
    pattern: '^(operator|[0-9a-f]{64}|oidc:\\S{1,255} .{1,255})$',
    reason: 'must be operator or the hash of a key: 64 lower-case hex characters; or oidc: with issuer and subject',
  }),
);
const action = compile(oneOf(AUDIT_ACTIONS));
const cursor = compile(text({ min: 1, max: 255 }));

/** Query of `GET /audit`. */
export class ListAuditDto {
  @PageLimit()
  limit = 50;

  /** The page begins below this position in the chain. */
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

  @QueryExport()
  format?: ExportFormat;
}

/**
 * The cursor of the next page: it begins below this position in the chain. Entries appended meanwhile do not shift it.
 */
export const printCursor = (seq: number): string => Buffer.from(String(seq)).toString('base64url');

// At most 15 digits: a number represents all such integers exactly.
const SEQUENCE = /^[1-9][0-9]{0,14}$/;

/** @throws GatewayError `invalid-request` for a cursor that no page has returned */
function readCursor(text: string): number {
  const sequence = Buffer.from(text, 'base64url').toString();
  // The decoder is lenient; only the exact printed form is accepted.
  if (SEQUENCE.test(sequence) && printCursor(Number(sequence)) === text) return Number(sequence);
  throw new GatewayError('invalid-request', 'cursor: must be the next_cursor of an earlier page');
}
