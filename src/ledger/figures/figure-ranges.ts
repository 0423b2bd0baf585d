import { GatewayError } from '../../core/errors.js';
import { DAY_MS } from '../../core/time.js';
import type { FiguresQuery } from './figures-query.js';
import { widestSpan } from './figures-statement.js';

/** Days of a range: of one by hours, or for which generations are read one by one; and of any. Chosen. */
export const FINE_DAYS_MAX = 31;
export const RANGE_DAYS_MAX = 400;

/**
 * The array has the names that the caller has for the ends of the range.
 * @throws GatewayError `invalid-request` for a range that is none, or too long
 */
export function assertRange(query: FiguresQuery, [since, until]: readonly [since: string, until: string]): void {
  if (query.until <= query.since) throw new GatewayError('invalid-request', `${until}: must be later than ${since}`);
  const days = (query.until - query.since) / DAY_MS;
  const span = widestSpan(query);
  if (days > FINE_DAYS_MAX && (span === 'hour' || span === 'none')) {
    throw new GatewayError(
      'invalid-request',
      `${since}: at most ${FINE_DAYS_MAX} days before ${until}, because ${fineReason(query)}`,
    );
  }
  if (days > RANGE_DAYS_MAX) {
    throw new GatewayError('invalid-request', `${since}: at most ${RANGE_DAYS_MAX} days before ${until}`);
  }
}

function fineReason(query: FiguresQuery): string {
  const { granularity } = query;
  if (granularity === 'hour' || granularity === 'minute') return `granularity is ${granularity}`;
  const fields = [
    ...query.dimensions,
    ...query.filters.flatMap(({ field }) => (typeof field === 'string' ? [] : field)),
  ];
  const own = fields.find(({ dimension }) => dimension.ofFigures === undefined);
  return own ? `${own.name} is known of single generations alone` : 'percentiles are those of single generations';
}
