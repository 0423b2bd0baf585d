import { GatewayError } from '../../core/errors.js';
import { TAGS_MAX } from '../../core/tags.js';
import { DIALECT_IDS, type DialectId } from '../../core/routing/catalog.js';
import { DAY_MS } from '../../core/time.js';
import { keyHash, shortText, workspaceReference } from '../../shared/http/shared-fields.js';
import { Fits } from '../../shared/http/fits.decorator.js';
import { MayOmit } from '../../shared/http/may-omit.decorator.js';
import {
  QueryDay,
  QueryExport,
  QueryList,
  QueryMoment,
  QueryNumber,
  QueryRepeated,
} from '../../shared/http/query-validators.js';
import type { ExportFormat } from '../../shared/http/row-export.js';
import { compile, oneOf, text } from '../../shared/http/schema.js';
import { namedTag } from '../../shared/http/tag-validators.js';
import type { API_TYPES } from '../generations/generation-columns.js';
import type { Outcome } from '../generations/generation-outcomes.js';
import { FILTERS } from '../generations/list-generations.dto.js';

/** Spans of time that rows are made for. */
export const ACTIVITY_GRANULARITIES = ['hour', 'day'] as const;

const GROUPS_CHARACTERS_MAX = 300;
const groups = compile(text({ min: 1, max: GROUPS_CHARACTERS_MAX }));
const granularity = compile(oneOf(ACTIVITY_GRANULARITIES));
const dialect = compile(oneOf(DIALECT_IDS));

/** Query of `GET /activity` (docs/use/activity.md). */
export class ActivityQueryDto {
  /** One completed UTC day. */
  @QueryDay()
  date?: Date;

  /** Inclusive. */
  @QueryMoment()
  from?: Date;

  /** Exclusive. */
  @QueryMoment()
  to?: Date;

  @MayOmit()
  @Fits(granularity)
  granularity?: (typeof ACTIVITY_GRANULARITIES)[number];

  /** Names of dimensions, separated by commas. */
  @QueryList(groups)
  group_by?: readonly string[];

  /** Alias of `key`. */
  @MayOmit()
  @Fits(keyHash)
  api_key_hash?: string;

  /** Alias of `member`. */
  @MayOmit()
  @Fits(shortText)
  user_id?: string;

  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;

  @MayOmit()
  @Fits(FILTERS.model)
  model?: string;

  @MayOmit()
  @Fits(shortText)
  provider?: string;

  @MayOmit()
  @Fits(shortText)
  endpoint?: string;

  @MayOmit()
  @Fits(keyHash)
  key?: string;

  /** The end user. */
  @MayOmit()
  @Fits(FILTERS.callersId)
  user?: string;

  /** The user that the key was made for. */
  @MayOmit()
  @Fits(shortText)
  member?: string;

  @MayOmit()
  @Fits(FILTERS.callersId)
  session_id?: string;

  @QueryNumber(FILTERS.status)
  status?: number;

  @MayOmit()
  @Fits(FILTERS.outcome)
  outcome?: Outcome;

  @MayOmit()
  @Fits(FILTERS.errorType)
  error_type?: string;

  @MayOmit()
  @Fits(FILTERS.api)
  api?: (typeof API_TYPES)[number];

  @MayOmit()
  @Fits(dialect)
  dialect?: DialectId;

  /** `name=value`; all of them hold. */
  @QueryRepeated(namedTag, TAGS_MAX)
  tag?: readonly string[];

  @QueryExport()
  format?: ExportFormat;
}

/** Days that can be requested by `date` (docs/use/activity.md#completed-days). */
const DAYS_MAX = 30;

/**
 * The requested completed UTC days: the given one, or the last thirty.
 * @param today start of the current day, which is not completed
 * @throws GatewayError `invalid-request` for any other day, also for one that does not exist (an invalid `Date`)
 */
export function readDays(date: Date | undefined, today: Date): { readonly since: number; readonly until: number } {
  const first = today.getTime() - DAYS_MAX * DAY_MS;
  if (date === undefined) return { since: first, until: today.getTime() };
  const since = date.getTime();
  if (since >= first && since < today.getTime()) return { since, until: since + DAY_MS };
  const reason = `must be one of the last ${DAYS_MAX} completed UTC days, ${printDay(new Date(first))} to ${printDay(new Date(today.getTime() - DAY_MS))}`;
  throw new GatewayError('invalid-request', `date: ${reason}`);
}

/** `2030-01-31` */
export const printDay = (day: Date): string => day.toISOString().slice(0, 10);
