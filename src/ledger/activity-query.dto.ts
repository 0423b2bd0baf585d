import { GatewayError } from '../core/errors.js';
import { UUID } from '../shared/http/field-patterns.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, oneOf, text } from '../shared/http/schema.js';

const day = compile(text({ pattern: '^\\d{4}-\\d\\d-\\d\\d$', reason: 'must be a day such as 2030-01-31' }));
const keyHash = compile(text({ pattern: '^[0-9a-f]{64}$', reason: 'must be 64 lower-case hex characters' }));
// PostgreSQL takes no NUL, not even to compare with.
const userId = compile(text({ min: 1, max: 255, pattern: '^[^\\u0000]*$', reason: 'must not hold NUL characters' }));
const workspaceId = compile(text(UUID));
const grouping = compile(oneOf(['workspace']));

/** Query of `GET /activity` (WIRE 2.6). Parameters beyond these are ignored (WIRE 0.3). */
export class ActivityQueryDto {
  /** One UTC day. */
  @MayOmit()
  @Fits(day)
  date?: string;

  @MayOmit()
  @Fits(keyHash)
  api_key_hash?: string;

  /** Whom the key was made for. */
  @MayOmit()
  @Fits(userId)
  user_id?: string;

  @MayOmit()
  @Fits(grouping)
  group_by?: 'workspace';

  @MayOmit()
  @Fits(workspaceId)
  workspace_id?: string;
}

const DAY_MS = 86_400_000;
/** Days that can be asked for (WIRE 2.6). */
const DAYS_MAX = 30;

/**
 * The starts of the UTC days that are asked for, the newest first: one, or all of the last thirty completed ones.
 * @param today start of the current day, which is not completed
 * @throws GatewayError `invalid-request` for any other day, also for one that no month has
 */
export function readDays(date: string | undefined, today: Date): Date[] {
  const days = Array.from({ length: DAYS_MAX }, (_, index) => new Date(today.getTime() - (index + 1) * DAY_MS));
  if (date === undefined) return days;
  const day = days.find((completed) => printDay(completed) === date);
  if (day) return [day];
  const [newest, ...others] = days.map(printDay);
  const reason = `must be one of the last ${DAYS_MAX} completed UTC days, ${others.at(-1)} to ${newest}`;
  throw new GatewayError('invalid-request', `date: ${reason}`);
}

/** `2030-01-31` */
export const printDay = (day: Date): string => day.toISOString().slice(0, 10);
