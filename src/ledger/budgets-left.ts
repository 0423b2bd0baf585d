import { usdNumber } from '../core/money/credits.js';
import { INTERVALS } from '../core/time.js';
import { described, number, object, oneOf, text, type Static } from '../shared/http/schema.js';
import { SUBJECT_SCOPES } from '../accounts/budget-subjects.js';
import type { HoldRefusal } from './hold.js';

/** The remaining amount of a budget of a user, a member or a tag, as callers see it. */
export const budgetLeftView = object({
  scope: oneOf(SUBJECT_SCOPES),
  id: text(),
  interval: oneOf(INTERVALS),
  limit_usd: number(),
  remaining_usd: described(
    'What is left of the limit, not below 0; calls that are under way are not counted.',
    number(),
  ),
});
export type BudgetLeft = Static<typeof budgetLeftView>;

/** The budgets of users, members and tags among these counters. */
export const budgetsLeft = (counters: readonly HoldRefusal[]): readonly BudgetLeft[] =>
  counters.flatMap(({ subject, interval, limit, used }) =>
    subject
      ? [
          {
            scope: subject.scope,
            id: subject.id,
            interval,
            limit_usd: usdNumber(limit),
            remaining_usd: usdNumber(limit > used ? limit - used : 0n),
          },
        ]
      : [],
  );
