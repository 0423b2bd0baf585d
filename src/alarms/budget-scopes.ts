import { SUBJECT_IDS } from '../accounts/budget-subject-ids.js';
import { SUBJECT_SCOPES, subjectOf, type SubjectScope } from '../accounts/budget-subjects.js';
import type { Compiled } from '../shared/http/schema.js';
import { databaseNow } from './database-now.js';

/** Every object of a kind. */
export const ALL = '*';

/** SQL and checks by which alarms watch the budgets of a scope. */
export interface BudgetScope {
  /** The scope in tables. */
  readonly stored: string;
  /**
   * SQL: its counters with a limit, as `Measured` has them. `$6` is whose, as `ownerOf` gives it, `$7` the interval.
   */
  readonly measured: string;
  /** The parameter `$6` for an id that an alarm names. */
  readonly ownerOf: (accountId: string, id: string) => string;
  /** SQL: whether the account `$1` has the object with the id `$2`. Absent: any id may come. */
  readonly exists?: string;
  /** The form of an id; absent: any. */
  readonly form?: Compiled<string>;
  /** SQL: the owner of the crossing `f` where `measured` has none. */
  readonly named?: string;
}

/**
 * Budgets of objects, each with a separate counter.
 * @param owner SQL: the id that an alarm names, of the budget `b`
 */
const ofObjects = (stored: string, owner: string): string => `
  SELECT b.scope_id AS subject, b.interval, raised_1(b.limit_usd, b.raised_usd, b.raised_until, ${databaseNow('$3')}) AS limit_usd,
    b.include_byok, b.scope, b.scope_id,
    jsonb_build_object('scope', b.scope, 'id', ${owner}, 'budget', b.scope_id) AS facts,
    'The ' || b.scope AS label, ${owner} AS owner
  FROM budgets b
  WHERE b.account_id = $1 AND b.scope = '${stored}' AND b.limit_usd > 0 AND ($6 = '${ALL}' OR ${owner} = $6) AND b.interval = $7`;

/** How far back a record is searched that names the subject of a counter: it was held moments before it crossed. */
const NAMED_WITHIN = `interval '1 hour'`;

/** SQL: the `scope_id` of a subject, as `subjectOf` derives it. @param id SQL */
const derivedFrom = (scope: SubjectScope, id: string): string =>
  `encode(sha256(convert_to($1::text || '/${scope}/' || ${id}, 'UTF8')), 'hex')`;

/** SQL: as `shortEndUser` makes it of a record's. */
const SHORT_USER = `CASE WHEN char_length(g.end_user) > 256 THEN encode(sha256(convert_to(g.end_user, 'UTF8')), 'hex') ELSE g.end_user END`;

const NOUNS: Readonly<Record<SubjectScope, string>> = { users: 'user', members: 'member', tags: 'tag' };

/** SQL: the id of the subject of the crossing `f`, whose counter has only its hash. */
const NAMES: Readonly<Record<SubjectScope, string>> = {
  users: `SELECT g.end_user FROM generations g
    WHERE g.account_id = $1::uuid AND g.held_at > ${databaseNow('$3')} - ${NAMED_WITHIN} AND g.end_user IS NOT NULL
      AND ${derivedFrom('users', SHORT_USER)} = f.scope_id
    ORDER BY g.held_at DESC LIMIT 1`,
  members: `SELECT k.creator_user_id FROM api_keys k
    WHERE k.account_id = $1::uuid AND k.creator_user_id IS NOT NULL AND ${derivedFrom('members', 'k.creator_user_id')} = f.scope_id LIMIT 1`,
  tags: `SELECT t.key || '=' || t.value FROM generations g CROSS JOIN LATERAL jsonb_each_text(g.tags) AS t
    WHERE g.account_id = $1::uuid AND g.held_at > ${databaseNow('$3')} - ${NAMED_WITHIN} AND g.tags IS NOT NULL
      AND ${derivedFrom('tags', `t.key || '=' || t.value`)} = f.scope_id
    ORDER BY g.held_at DESC LIMIT 1`,
};

/** Counters of subjects, each under its own budget or the default. */
const ofSubjects = (scope: SubjectScope): string => `
  SELECT w.scope_id AS subject, w.interval, b.limit_usd, b.include_byok, w.scope, w.scope_id,
    jsonb_build_object('scope', w.scope, 'is_default', b.is_default) AS facts,
    'The ${NOUNS[scope]}' AS label, CASE WHEN b.is_default THEN NULL ELSE b.subject END AS owner
  FROM spending_windows w CROSS JOIN LATERAL (
    SELECT o.subject, o.scope_id, o.include_byok, o.scope_id <> w.scope_id AS is_default,
      raised_1(o.limit_usd, o.raised_usd, o.raised_until, ${databaseNow('$3')}) AS limit_usd
    FROM budgets o
    WHERE o.account_id = $1 AND o.scope = w.scope AND o.interval = w.interval AND o.scope_id = ANY(ARRAY[w.scope_id, $1::text])
    ORDER BY o.scope_id <> w.scope_id LIMIT 1
  ) AS b
  WHERE w.account_id = $1 AND w.scope = '${scope}' AND w.interval = $7 AND w.window_start = window_start_of($7, ${databaseNow('$3')})
    AND b.limit_usd > 0 AND ($6 = '${ALL}' OR $6 = ANY(ARRAY[w.scope_id, b.scope_id]))`;

const subjects = (scope: SubjectScope): BudgetScope => ({
  stored: scope,
  measured: ofSubjects(scope),
  ownerOf: (accountId, id) => (id === ALL ? ALL : subjectOf(accountId, scope, id).scopeId),
  named: NAMES[scope],
  form: SUBJECT_IDS[scope],
});

/** The scopes of budgets that alarms watch, by the names of the interface. */
export const BUDGET_SCOPES = {
  workspaces: {
    stored: 'workspace',
    measured: ofObjects('workspace', 'b.scope_id'),
    ownerOf: (_account, id) => id,
    exists: 'SELECT FROM workspaces WHERE account_id = $1 AND id::text = $2 AND deleted_at IS NULL',
  },
  guardrails: {
    stored: 'guardrail',
    measured: ofObjects('guardrail', `split_part(b.scope_id, ':', 1)`),
    ownerOf: (_account, id) => id,
    exists: 'SELECT FROM guardrails WHERE account_id = $1 AND id::text = $2',
  },
  ...(Object.fromEntries(SUBJECT_SCOPES.map((scope) => [scope, subjects(scope)])) as Record<SubjectScope, BudgetScope>),
} satisfies Readonly<Record<string, BudgetScope>>;

export type BudgetScopeName = keyof typeof BUDGET_SCOPES;
export const BUDGET_SCOPE_NAMES = Object.keys(BUDGET_SCOPES) as BudgetScopeName[];
