import { GatewayError } from '../core/errors.js';
import { DAY_MS } from '../core/time.js';
import { keyHash, shortText, workspaceReference } from '../shared/http/fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { QueryDay } from '../shared/http/query-fields.js';
import { compile, oneOf } from '../shared/http/schema.js';

const grouping = compile(oneOf(['workspace']));

/** Query of `GET /activity` (docs/wire/accounting.md#get-activity). */
export class ActivityQueryDto {
  /** One UTC day. */
  @QueryDay()
  date?: Date;

  @MayOmit()
  @Fits(keyHash)
  api_key_hash?: string;

  /** Whom the key was made for. */
  @MayOmit()
  @Fits(shortText)
  user_id?: string;

  @MayOmit()
  @Fits(grouping)
  group_by?: 'workspace';

  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;
}

/** Days that can be asked for (docs/wire/accounting.md#get-activity). */
const DAYS_MAX = 30;

/**
 * The starts of the UTC days that are asked for, the newest first: one, or all of the last thirty completed ones.
 * @param today start of the current day, which is not completed
 * @throws GatewayError `invalid-request` for any other day, also for one that no month has (an invalid `Date`)
 */
export function readDays(date: Date | undefined, today: Date): Date[] {
  const days = Array.from({ length: DAYS_MAX }, (_, index) => new Date(today.getTime() - (index + 1) * DAY_MS));
  if (date === undefined) return days;
  const day = days.find((completed) => completed.getTime() === date.getTime());
  if (day) return [day];
  const [newest, ...others] = days.map(printDay);
  const reason = `must be one of the last ${DAYS_MAX} completed UTC days, ${others.at(-1)} to ${newest}`;
  throw new GatewayError('invalid-request', `date: ${reason}`);
}

/** `2030-01-31` */
export const printDay = (day: Date): string => day.toISOString().slice(0, 10);
