import type { JsonObject } from '../core/json/json.js';
import type { Interval } from '../core/time.js';
import { shortened } from '../core/shortened.js';
import { ALL, BUDGET_SCOPES, type BudgetScope } from './budget-scopes.js';
import { usdText, type Finding, type Judge, type Judging } from './judge.js';
import { databaseNow } from './database-now.js';

/** Crossings that one round reports; more follow in the next. */
const CROSSINGS_MAX = 500;
/** Share of a month that must have passed before its end is forecast. */
const FORECAST_FROM = 0.1;

/** A crossed share of a limit. Amounts are decimal USD. */
interface Crossing {
  readonly subject: string;
  /** Null: a forecast. */
  readonly percent: number | null;
  readonly limit_usd: string;
  readonly used: string;
  readonly interval: Interval;
  readonly window_start: Date;
  /** Share of the window that has passed. */
  readonly elapsed: number;
  readonly facts: JsonObject;
  readonly label: string;
  /** Null: no record names it any more. */
  readonly owner: string | null;
}

/**
 * SQL: what is measured: `subject`, `interval`, `limit_usd`, `include_byok`, `scope`, `scope_id`, `facts`, `label`,
 * `owner`. `$1` is the account, `$3` how far the clock is moved.
 */
type LimitStatement = string;

const KEYS: LimitStatement = `
  SELECT k.hash::text AS subject, coalesce(k.limit_reset, 'lifetime') AS interval,
    raised_1(k.limit_usd, k.raised_usd, k.raised_until, ${databaseNow('$3')}) AS limit_usd, k.include_byok_in_limit AS include_byok,
    'key' AS scope, k.hash::text AS scope_id,
    jsonb_build_object('key', jsonb_build_object('hash', k.hash, 'name', k.name, 'label', k.label)) AS facts,
    'The key' AS label, k.name AS owner
  FROM api_keys k
  WHERE k.account_id = $1 AND k.deleted_at IS NULL AND k.limit_usd > 0 AND ($6 = '${ALL}' OR k.hash = $6)`;

/**
 * Notes crossed percents and forecasts that are not noted yet, and returns them. A mark contains the window and the
 * limit, so that a changed limit counts anew. `$2` the alarm, `$3` how far the clock is moved, `$4` percents, `$5`
 * whether to forecast.
 */
const crossings = (measured: LimitStatement, named: string | undefined): string => `
  WITH measured AS (${measured}
  ), windows AS (
    SELECT m.*, window_start_of(m.interval, ${databaseNow('$3')}) AS window_start FROM measured m
  ), used AS (
    SELECT m.*, coalesce(w.used, 0) + CASE WHEN m.include_byok THEN coalesce(w.byok_used, 0) ELSE 0 END AS used,
      extract(epoch FROM ${databaseNow('$3')} - m.window_start)::float8 / extract(epoch FROM
        (m.window_start AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' - m.window_start)::float8 AS elapsed
    FROM windows m LEFT JOIN spending_windows w
      ON w.scope = m.scope AND w.scope_id = m.scope_id AND w.interval = m.interval AND w.window_start = m.window_start
  ), crossed AS (
    SELECT u.*, p.percent, p.percent::text AS of FROM used u CROSS JOIN unnest($4::int[]) AS p (percent)
    WHERE u.used * 100 >= u.limit_usd * p.percent
    UNION ALL
    SELECT u.*, NULL, 'forecast' FROM used u
    WHERE $5 AND u.interval = 'monthly' AND u.elapsed >= ${FORECAST_FROM} AND u.used < u.limit_usd
      AND u.used::float8 >= u.limit_usd::float8 * u.elapsed
  ), marked AS (
    SELECT c.*, concat_ws(':', c.interval, extract(epoch FROM c.window_start)::bigint, c.limit_usd, c.of) AS mark FROM crossed c
  ), fresh AS (
    SELECT m.* FROM marked m
    WHERE NOT EXISTS (SELECT FROM alarm_firings f WHERE f.alarm_id = $2 AND f.subject = m.subject AND f.mark = m.mark)
    LIMIT ${CROSSINGS_MAX}
  ), fired AS (
    INSERT INTO alarm_firings (alarm_id, subject, mark, fired_at)
    SELECT $2, f.subject, f.mark, ${databaseNow('$3')} FROM fresh f ON CONFLICT DO NOTHING RETURNING subject, mark
  )
  SELECT f.subject, f.percent, f.limit_usd, f.used, f.interval, f.window_start, f.elapsed, f.label, o.owner,
    ${named === undefined ? 'f.facts' : `f.facts || jsonb_build_object('id', o.owner) AS facts`}
  FROM fresh f JOIN fired USING (subject, mark)
  CROSS JOIN LATERAL (SELECT ${named === undefined ? 'f.owner' : `coalesce(f.owner, (${named}))`} AS owner) AS o
  ORDER BY f.subject, f.percent`;

/** Shares of limits of keys. */
export const judgeLimits: Judge<'limit'> = (judged) => judgeShares(judged, { measured: KEYS }, [judged.rule.key]);

/** Shares of budgets. */
export const judgeBudgets: Judge<'budget'> = (judged) => {
  const { scope, id, interval } = judged.rule;
  const budget: BudgetScope = BUDGET_SCOPES[scope];
  return judgeShares(judged, budget, [budget.ownerOf(judged.alarm.accountId, id), interval]);
};

async function judgeShares(
  { manager, alarm, aheadMs }: Judging,
  { measured, named }: Pick<BudgetScope, 'measured' | 'named'>,
  of: readonly string[],
): Promise<readonly Finding[]> {
  const { accountId, id, percents, forecast } = alarm;
  const parameters = [accountId, id, aheadMs, percents, forecast, ...of];
  return (await manager.query<Crossing[]>(crossings(measured, named), parameters)).map(findingOf);
}

/** The name of a limit in an interval, for messages. */
const LIMITS: Readonly<Record<Interval, string>> = {
  daily: 'daily limit',
  weekly: 'weekly limit',
  monthly: 'monthly limit',
  lifetime: 'limit',
};

function findingOf(crossing: Crossing): Finding {
  const { subject, percent, limit_usd, used, interval, window_start, elapsed, facts, label, owner } = crossing;
  const whose = owner === null ? label : `${label} ${shortened(owner)}`;
  const limit = `${LIMITS[interval]} of ${usdText(limit_usd)}`;
  const message =
    percent === null
      ? `${whose} will reach its ${limit} before the month ends: ${usdText(used)} are used after ${Math.round(elapsed * 100)} % of it.`
      : `${whose} has used ${percent} % of its ${limit}: ${usdText(used)}.`;
  return {
    subject,
    data: {
      message,
      ...facts,
      percent,
      forecast_usd: percent === null ? Number((Number(used) / elapsed).toFixed(6)) : null,
      limit_usd: Number(limit_usd),
      used_usd: Number(used),
      interval,
      window_start: window_start.toISOString(),
    },
  };
}
