import { GatewayError } from '../core/errors.js';
import { workspaceReference } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { CURSOR_CHARACTERS_MAX } from '../shared/http/page-cursor.js';
import { PageLimit, QueryExport, QueryMoment } from '../shared/http/query-validators.js';
import type { ExportFormat } from '../shared/http/row-export.js';
import { compile, text } from '../shared/http/schema.js';

const cursor = compile(text({ min: 1, max: CURSOR_CHARACTERS_MAX }));

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

  /** The size of a page. An export has no pages. */
  @PageLimit()
  limit = 50;

  @QueryExport()
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
