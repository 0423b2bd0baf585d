import { FIGURES } from '../figures/verify-figures.js';
import { LOGGED_HASHES, STATEMENT_LINES, STATEMENTS } from '../month-end/verify-statements.js';

/** A query whose every row is an error of the ledger: `what`, `expected`, `found` (texts), `is_warning`. */
export interface Verification {
  readonly statement: string;
  /** The value of `$1`. */
  readonly reads?: 'since' | 'whole' | 'entered';
}

/** The printed name of a counter; a key's hash is long and is cut. */
const COUNTER = `format('%s %s, %s: ', scope, CASE scope WHEN 'key' THEN left(scope_id, 12) || '…' ELSE scope_id END,
  CASE interval WHEN 'lifetime' THEN interval ELSE interval || to_char(window_start AT TIME ZONE 'UTC', ' "from" YYYY-MM-DD') END)`;

const NUMBER_OF = (amount: string): string => `trim_scale(${amount})::text`;

/** The kept months of both tables, and the month from which on no entry has been closed. */
export const KEPT_MONTHS = `
  SELECT parent, to_date(right(relname, 7), 'YYYY_MM')::timestamp AT TIME ZONE 'UTC' AS first,
    (SELECT (max(month) AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' FROM ledger_closings) AS open_since
  FROM unnest(ARRAY['generations', 'ledger_entries']) AS parent
  JOIN pg_inherits ON inhparent = parent::regclass
  JOIN pg_class ON pg_class.oid = inhrelid`;

export const COUNTED = `
  SELECT (SELECT count(*) FROM accounts) AS accounts, (SELECT count(*) FROM spending_windows) AS windows,
    (SELECT count(*) FROM ledger_entries) AS entries, (SELECT count(*) FROM generations) AS generations,
    (SELECT count(*) FROM holds) AS holds`;

/** Credits that were added. An account without a counter, or whose counter has no limit, could spend without end. */
const CREDITS = `
  SELECT format('account %s: %s', account.id, figure.name) AS what, ${NUMBER_OF('figure.expected')} AS expected,
    coalesce(${NUMBER_OF('figure.found')}, 'none') AS found, false AS is_warning
  FROM accounts account
  LEFT JOIN spending_windows counter
    ON counter.scope = 'account' AND counter.scope_id = account.id::text AND counter.interval = 'lifetime'
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(amount), 0) AS credits, coalesce(sum(amount) FILTER (WHERE kind IN ('purchase', 'refund')), 0) AS purchased
    FROM credit_grants WHERE account_id = account.id
  ) granted
  CROSS JOIN LATERAL (VALUES
    ('limit', granted.credits, counter."limit"),
    ('purchased', granted.purchased, account.purchased_usd)
  ) AS figure (name, expected, found)
  WHERE figure.found IS DISTINCT FROM figure.expected`;

/**
 * Every counter, as taking, settling and posting move it. Entries are summed by day first, and windows from days. What
 * is settled and not posted has an entry, but is not used yet. Counts of free requests have no entries.
 */
const COUNTERS = `
  WITH spent AS (
    SELECT account_id, key_hash, budgets, date_trunc('day', held_at, 'UTC') AS at, sum(amount) AS amount, sum(byok_amount) AS byok_amount
    FROM ledger_entries GROUP BY 1, 2, 3, 4
    UNION ALL
    SELECT account_id, key_hash, budgets, held_at, -cost, -byok_cost FROM holds WHERE cost IS NOT NULL
  ), moved AS (
    SELECT counter.scope, counter.scope_id, counter.window_interval AS interval, at,
      amount AS used, byok_amount AS byok_used, 0::numeric AS held, 0::numeric AS byok_held
    FROM spent CROSS JOIN LATERAL counters_of_1(account_id, key_hash, NULL, budgets) AS counter
    UNION ALL
    SELECT scope, scope_id, 'lifetime', 'epoch', amount, byok_amount, 0, 0 FROM ledger_closings
    UNION ALL
    SELECT counter.scope, counter.scope_id, counter.window_interval, held_at, 0, 0, bound, byok_bound
    FROM holds CROSS JOIN LATERAL counters_of_1(account_id, key_hash, key_interval, budgets) AS counter WHERE counter.is_held
  ), expected AS (
    SELECT scope, scope_id, interval, window_start_of(interval, at) AS window_start,
      sum(used) AS used, sum(byok_used) AS byok_used, sum(held) AS held, sum(byok_held) AS byok_held
    FROM moved GROUP BY 1, 2, 3, 4
  )
  SELECT ${COUNTER} || figure.name AS what, ${NUMBER_OF('coalesce(figure.expected, 0)')} AS expected,
    ${NUMBER_OF('coalesce(figure.found, 0)')} AS found, false AS is_warning
  FROM expected FULL JOIN spending_windows counter USING (scope, scope_id, interval, window_start)
  CROSS JOIN LATERAL (
    -- Counters of users, members and tags are removed some time after their window has ended.
    SELECT (interval = 'lifetime' OR window_start >= $1::timestamptz)
      AND (scope NOT IN ('users', 'members', 'tags') OR window_start >= window_start_of(interval, now())) AS is_whole,
      -- Where there were too many, the least use was forgotten.
      scope IN ('users', 'members', 'tags') AND EXISTS (SELECT FROM accounts WHERE counters_forgotten_at IS NOT NULL)
        AND NOT EXISTS (
          SELECT FROM budgets b WHERE b.scope = expected.scope AND b.scope_id = expected.scope_id AND b.interval = expected.interval
        ) AS may_lack
  ) AS entries
  CROSS JOIN LATERAL (VALUES
    ('used', is_whole AND scope <> 'free_requests', expected.used, counter.used),
    ('byok_used', is_whole, expected.byok_used, counter.byok_used),
    ('held', true, expected.held, counter.held),
    ('byok_held', true, expected.byok_held, counter.byok_held)
  ) AS figure (name, is_known, expected, found)
  WHERE figure.is_known AND coalesce(figure.expected, 0) <> coalesce(figure.found, 0)
    AND NOT (may_lack AND coalesce(figure.found, 0) < figure.expected AND figure.name LIKE '%used')`;

/** Values that no counter may reach. */
const NEGATIVE = `
  SELECT ${COUNTER} || figure.name AS what, '0 or more' AS expected, ${NUMBER_OF('figure.found')} AS found, false AS is_warning
  FROM spending_windows
  CROSS JOIN LATERAL (VALUES ('used', used), ('held', held), ('byok_used', byok_used), ('byok_held', byok_held)) AS figure (name, found)
  WHERE figure.found < 0`;

/**
 * An account may be overdrawn by a negative adjustment after the money was spent: that refuses no call. Anything beyond
 * was granted wrongly.
 */
const OVERDRAWN = `
  SELECT format('account %s: used and held%s', counter.scope_id,
      CASE WHEN explained.is_warning THEN ' (adjusted after it was spent)' ELSE '' END) AS what,
    'at most ' || ${NUMBER_OF('counter."limit"')} AS expected, ${NUMBER_OF('counter.used + counter.held')} AS found, explained.is_warning
  FROM spending_windows counter
  CROSS JOIN LATERAL (
    SELECT counter.used + counter.held - counter."limit" <=
      (SELECT coalesce(-sum(amount), 0) FROM credit_grants WHERE account_id = counter.account_id AND amount < 0) AS is_warning
  ) explained
  WHERE counter.scope = 'account' AND counter.used + counter.held > counter."limit"`;

/** A generation and its entries, one by one. */
const GENERATIONS = `
  WITH entered AS (
    SELECT held_at, generation_id AS id, sum(amount) AS amount, sum(byok_amount) AS byok_amount,
      count(*) FILTER (WHERE kind = 'charge') AS charges, count(*) FILTER (WHERE kind = 'correction') AS corrections
    FROM ledger_entries WHERE date_trunc('month', held_at, 'UTC') = ANY ($1::timestamptz[]) GROUP BY 1, 2
  ), generated AS (
    SELECT held_at, id, cost, byok_cost, is_corrected, 1 AS rows
    FROM generations WHERE date_trunc('month', held_at, 'UTC') = ANY ($1::timestamptz[])
  )
  SELECT format('generation %s: %s', id, figure.name) AS what, ${NUMBER_OF('figure.expected')} AS expected,
    ${NUMBER_OF('figure.found')} AS found, false AS is_warning
  FROM generated FULL JOIN entered USING (held_at, id)
  CROSS JOIN LATERAL (VALUES
    ('rows', 1::numeric, coalesce(rows, 0)::numeric),
    ('charges', 1, coalesce(charges, 0)),
    ('corrections', is_corrected::int, coalesce(corrections, 0)),
    ('cost', amount, cost),
    ('byok_cost', byok_amount, byok_cost)
  ) AS figure (name, expected, found)
  WHERE figure.expected <> figure.found`;

/**
 * Entries that do not count in a budget that applied to their key for at least a minute when they were held: that of
 * its workspace, or of the guardrail assigned to the key. A budget that was removed since is not checked.
 */
const BUDGETS = `
  SELECT format('generation %s: %s counts in the %s budget of %s %s', e.generation_id, e.kind, b.interval, b.scope, b.scope_id) AS what,
    'yes' AS expected, 'no' AS found, false AS is_warning
  FROM ledger_entries e
  JOIN LATERAL (
    SELECT 'workspace' AS scope, e.workspace_id::text AS scope_id, 'epoch'::timestamptz AS since
    UNION ALL
    SELECT 'guardrail', g.guardrail_id || ':key:' || e.key_hash, g.created_at FROM guardrail_assignments g
    WHERE g.account_id = e.account_id AND g.kind = 'key' AND g.subject = e.key_hash
  ) owner ON true
  JOIN budgets b ON b.account_id = e.account_id AND b.scope = owner.scope AND b.scope_id = owner.scope_id
  WHERE (e.amount <> 0 OR e.byok_amount <> 0)
    AND e.held_at > greatest(b.created_at, owner.since) + interval '1 minute'
    AND NOT coalesce(e.budgets @> jsonb_build_array(jsonb_build_array(b.scope, b.scope_id, b.interval)), false)`;

export const VERIFICATIONS: readonly Verification[] = [
  { statement: CREDITS },
  { statement: COUNTERS, reads: 'since' },
  { statement: NEGATIVE },
  { statement: OVERDRAWN },
  { statement: GENERATIONS, reads: 'whole' },
  { statement: BUDGETS },
  { statement: FIGURES },
  { statement: STATEMENTS },
  { statement: LOGGED_HASHES },
  { statement: STATEMENT_LINES, reads: 'entered' },
];
