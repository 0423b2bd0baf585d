import { ReadableBy } from './fits.decorator.js';
import { moment } from './schema.js';

const UTC_TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|\+00:00)$/;

/** Length of the longest spelling: nine decimals, and a numeric zone. */
const CHARACTERS_MAX = 35;

/**
 * Reads an ISO 8601 time in UTC with seconds, to the millisecond.
 * @returns undefined for any other value, including other time zones and days that do not exist
 */
export function readUtcTime(value: unknown): Date | undefined {
  const match = typeof value === 'string' ? UTC_TIME.exec(value) : null;
  if (!match) return undefined;
  const time = new Date(match[0]);
  // JavaScript reads 30 February as 2 March.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(match[1]!) ? time : undefined;
}

/** An unambiguous time: ISO 8601, UTC, with seconds. */
export const IsUtcTime = (): PropertyDecorator =>
  ReadableBy(
    'isUtcTime',
    (value) => readUtcTime(value) !== undefined,
    'must be an ISO 8601 time in UTC with seconds, such as 2030-01-31T00:00:00Z',
    moment({ max: CHARACTERS_MAX }),
  );
