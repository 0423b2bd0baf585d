import { GatewayError } from '../core/errors.js';
import { workspaceReference } from '../shared/http/fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { CURSOR_CHARACTERS_MAX } from '../shared/http/page-cursor.js';
import { PageLimit, QueryMoment } from '../shared/http/query-fields.js';
import { EXPORT_FORMATS, type ExportFormat } from '../shared/http/row-export.js';
import { compile, oneOf, text } from '../shared/http/schema.js';

const cursor = compile(text({ min: 1, max: CURSOR_CHARACTERS_MAX }));
const format = compile(oneOf(EXPORT_FORMATS));

/** The parameters of every list that is ordered by time. */
export class ListQueryDto {
  /** Inclusive. */
  @QueryMoment()
  from?: Date;

  /** Exclusive. */
  @QueryMoment()
  to?: Date;

  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;

  @MayOmit()
  @Fits(cursor)
  cursor?: string;

  /** Of a page: what is exported has no pages. */
  @PageLimit()
  limit = 50;

  @MayOmit()
  @Fits(format)
  format?: ExportFormat;
}

/**
 * @param unindexed a filter that was given, and that no index answers
 * @throws GatewayError `invalid-request` for a range that ends before it begins, and for such a filter without a range
 */
export function assertBounded({ from, to }: ListQueryDto, unindexed: string | undefined): void {
  if (from && to && to <= from) throw new GatewayError('invalid-request', 'to: must be later than from');
  if (unindexed === undefined || from) return;
  throw new GatewayError('invalid-request', `${unindexed}: needs a range of time; give from, such as from=2030-01-31`);
}
