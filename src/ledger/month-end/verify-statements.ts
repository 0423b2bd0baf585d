import type { EntityManager } from 'typeorm';
import { summarize } from './close-month.js';
import { IN_TIME } from './gather-lines.js';
import { printMonth } from './months.js';

const MONTH_OF = (month: string): string => `to_char(${month} AT TIME ZONE 'UTC', 'YYYY-MM')`;
const NUMBER_OF = (amount: string): string => `trim_scale(${amount})::text`;

/** The totals of closed months: from their lines, and from the month before. */
export const STATEMENTS = `
  WITH summed AS (
    SELECT s.*, coalesce(l.credits, 0) AS line_credits, coalesce(l.charges, 0) AS line_charges, coalesce(l.corrections, 0) AS line_corrections,
      lag(s.closing_balance) OVER chain AS before, lag(s.month) OVER chain AS month_before
    FROM statements s LEFT JOIN (
      SELECT account_id, month, sum(amount) FILTER (WHERE kind NOT IN ('charge', 'correction')) AS credits,
        -sum(amount) FILTER (WHERE kind = 'charge') AS charges, sum(amount) FILTER (WHERE kind = 'correction') AS corrections
      FROM statement_lines GROUP BY 1, 2
    ) AS l USING (account_id, month)
    WHERE s.hash IS NOT NULL WINDOW chain AS (PARTITION BY s.account_id ORDER BY s.month)
  )
  SELECT format('statement of %s, account %s: %s', ${MONTH_OF('month')}, account_id, figure.name) AS what,
    ${NUMBER_OF('figure.expected')} AS expected, coalesce(${NUMBER_OF('figure.found')}, 'none') AS found, false AS is_warning
  FROM summed
  CROSS JOIN LATERAL (VALUES
    ('credits', line_credits, credits),
    ('charges', line_charges, charges),
    ('corrections', line_corrections, corrections),
    ('opening_balance', coalesce(before, opening_balance), opening_balance),
    ('closing_balance', opening_balance + credits - charges + corrections, closing_balance)
  ) AS figure (name, expected, found)
  WHERE figure.found IS DISTINCT FROM figure.expected
  UNION ALL
  SELECT format('statement of %s, account %s: the month before', ${MONTH_OF('month')}, account_id), 'closed', 'missing', false
  FROM summed WHERE month_before IS NOT NULL AND date_trunc('month', month_before + interval '32 days', 'UTC') <> month`;

/**
 * The hashes of closed months, as the audit log has them: a line that was altered together with its hash is found,
 * since entries of the log are sealed. Months that retention closed, and empty ones, have no entry.
 */
export const LOGGED_HASHES = `
  SELECT format('statement of %s, account %s: hash in the audit log', l.target, l.account_id) AS what, l.hash AS expected,
    coalesce(s.hash, 'none') AS found, false AS is_warning
  FROM (SELECT account_id, target, after::json ->> 'hash' AS hash FROM audit_entries WHERE action = 'statement.close') AS l
  LEFT JOIN statements s ON s.account_id = l.account_id AND ${MONTH_OF('s.month')} = l.target
  WHERE s.hash IS DISTINCT FROM l.hash`;

/**
 * The lines of closed months by key and kind, from entries and credits. Only of months whose entries are kept. Tokens
 * and models may have changed since, where a recovered generation was corrected: the hash covers them.
 */
export const STATEMENT_LINES = `
  WITH closed AS (
    SELECT s.account_id, s.month, date_trunc('month', s.month + interval '32 days', 'UTC') AS next
    FROM statements s WHERE s.hash IS NOT NULL AND s.month = ANY ($1::timestamptz[])
  ), entered AS (
    SELECT c.account_id, c.month, e.key_hash, e.kind, 1 AS count, -e.amount AS amount, e.byok_amount
    FROM closed c JOIN ledger_entries e ON e.account_id = c.account_id AND e.held_at >= c.month AND e.held_at < c.next
    WHERE ${IN_TIME}
    UNION ALL
    SELECT c.account_id, c.month, e.key_hash, e.kind, 1, -e.amount, e.byok_amount
    FROM closed c JOIN late_entries e ON e.account_id = c.account_id AND e.month = c.month
    UNION ALL
    SELECT c.account_id, c.month, '', g.kind, 1, g.amount, 0
    FROM closed c JOIN credit_grants g ON g.account_id = c.account_id AND g.created_at >= c.month AND g.created_at < c.next
  ), expected AS (
    SELECT account_id, month, key_hash, kind, sum(count) AS count, sum(amount) AS amount, sum(byok_amount) AS byok_amount
    FROM entered GROUP BY 1, 2, 3, 4
  ), found AS (
    SELECT l.account_id, l.month, coalesce(l.key_hash, '') AS key_hash, l.kind, sum(l.count) AS count, sum(l.amount) AS amount,
      sum(l.byok_amount) AS byok_amount
    FROM closed c JOIN statement_lines l ON l.account_id = c.account_id AND l.month = c.month GROUP BY 1, 2, 3, 4
  )
  SELECT format('statement of %s, account %s: %s of %s%s', ${MONTH_OF('month')}, account_id, figure.name, kind,
      CASE WHEN key_hash = '' THEN '' ELSE ', key ' || left(key_hash, 12) || '…' END) AS what,
    ${NUMBER_OF('figure.expected')} AS expected, ${NUMBER_OF('figure.found')} AS found, false AS is_warning
  FROM expected e FULL JOIN found f USING (account_id, month, key_hash, kind)
  CROSS JOIN LATERAL (VALUES
    ('count', coalesce(e.count, 0), coalesce(f.count, 0)),
    ('amount', coalesce(e.amount, 0), coalesce(f.amount, 0)),
    ('byok_amount', coalesce(e.byok_amount, 0), coalesce(f.byok_amount, 0))
  ) AS figure (name, expected, found)
  WHERE figure.expected <> figure.found`;

/** A statement whose lines do not make the csv that its hash is of. */
interface HashDifference {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

/** Computes the csv of every statement again. Of all that are closed: their lines are kept for ever. */
export async function verifyHashes(manager: EntityManager): Promise<readonly HashDifference[]> {
  const rows = await manager.query<{ account_id: string; month: Date; hash: string }[]>(
    'SELECT account_id, month, hash FROM statements WHERE hash IS NOT NULL ORDER BY month, account_id',
  );
  const differences: HashDifference[] = [];
  for (const { account_id: accountId, month, hash } of rows) {
    const { hash: computed } = await summarize(manager, accountId, month);
    if (computed === hash) continue;
    const what = `statement of ${printMonth(month)}, account ${accountId}: hash of its lines`;
    differences.push({ what, expected: hash, found: computed });
  }
  return differences;
}
