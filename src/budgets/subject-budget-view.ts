import { DEFAULT_SUBJECT, SUBJECT_SCOPES, type SubjectScope } from '../accounts/budget-subjects.js';
import { raisedLimit, type StoredBudget } from '../accounts/budgets.js';
import { usdNumber } from '../core/money/credits.js';
import { INTERVALS } from '../core/time.js';
import type { KeySpending } from '../ledger/spending-windows.js';
import {
  described,
  moment,
  nullable,
  number,
  object,
  oneOf,
  text,
  titled,
  type Static,
} from '../shared/http/schema.js';

const raiseView = object({ amount_usd: number(), until: moment() });

/** A budget of a user, a member or a tag (docs/operate/budgets.md). */
export const subjectBudgetView = titled(
  'subject-budget',
  object({
    scope: oneOf(SUBJECT_SCOPES),
    id: text(),
    interval: oneOf(INTERVALS),
    limit_usd: number(),
    raise: described('Active until its end; null: none.', nullable(raiseView)),
    usage: described('USD in the current window; null of `default`, which each counts alone.', nullable(number())),
    held: described('Reserved for calls that are under way; not yet in `usage`.', nullable(number())),
    remaining_usd: described('Limit and raise minus `usage`, not below 0.', nullable(number())),
    created_at: moment(),
    updated_at: moment(),
  }),
);
export type SubjectBudgetView = Static<typeof subjectBudgetView>;

/** @param spending of its subject. @param now Unix time in milliseconds */
export function viewSubjectBudget(budget: StoredBudget, spending: KeySpending, now: number): SubjectBudgetView {
  const { interval, raise } = budget;
  const id = budget.subject ?? DEFAULT_SUBJECT;
  const { used, held } = spending.credits[interval];
  const limit = raisedLimit(budget.limit, raise, now);
  const isDefault = id === DEFAULT_SUBJECT;
  return {
    scope: budget.scope as SubjectScope,
    id,
    interval,
    limit_usd: usdNumber(budget.limit),
    raise:
      raise && raise.until.getTime() > now
        ? { amount_usd: usdNumber(raise.amount), until: raise.until.toISOString() }
        : null,
    usage: isDefault ? null : usdNumber(used),
    held: isDefault ? null : usdNumber(held),
    remaining_usd: isDefault ? null : usdNumber(limit > used ? limit - used : 0n),
    created_at: budget.createdAt.toISOString(),
    updated_at: budget.updatedAt.toISOString(),
  };
}

/** For the log: without figures, which change with every call. */
export const viewSubjectBudgetTerms = ({ scope, subject, interval, limit, raise }: StoredBudget): object => ({
  scope,
  id: subject,
  interval,
  limit_usd: usdNumber(limit),
  raise: raise && { amount_usd: usdNumber(raise.amount), until: raise.until.toISOString() },
});
