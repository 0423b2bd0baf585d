import type { Budget, StoredBudget } from '../accounts/budgets.js';
import { derivedId } from '../accounts/derived-id.js';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { usdNumber } from '../core/money/credits.js';
import { DAY_MS, INTERVALS, RESET_INTERVALS, windowStart, type Interval } from '../core/time.js';
import type { KeySpending } from '../ledger/spending-windows.js';
import {
  flag,
  moment,
  nullable,
  number,
  object,
  oneOf,
  text,
  titled,
  described,
  type Static,
} from '../shared/http/schema.js';

/**
 * A budget as management sees it: the fields that clients require (docs/operate/workspaces.md#budgets), and its state
 * by the counters that are enforced.
 */
export const budgetView = titled(
  'budget',
  object({
    id: text(),
    workspace_id: text(),
    interval: oneOf(INTERVALS),
    reset_interval: described('As clients know the interval: null is lifetime.', nullable(oneOf(RESET_INTERVALS))),
    limit_usd: number(),
    include_byok_in_budgets: flag(),
    usage: described('USD in the current window.', number()),
    held: described('Reserved for calls that are under way; not yet in `usage`.', number()),
    remaining: described('What `usage` leaves of the limit, not below 0.', number()),
    resets_at: nullable(moment()),
    created_at: moment(),
    updated_at: moment(),
  }),
);
export type BudgetView = Static<typeof budgetView>;

/** Amounts become JSON numbers here and nowhere earlier. */
export function viewBudget(
  budget: StoredBudget,
  { id }: WorkspaceEntity,
  spending: KeySpending,
  now: number,
): BudgetView {
  const { interval, limit, includesByok } = budget;
  const credits = spending.credits[interval];
  const byok = includesByok ? spending.byok[interval] : { used: 0n, held: 0n };
  const used = credits.used + byok.used;
  return {
    id: derivedId('budget', id, interval),
    workspace_id: id,
    interval,
    reset_interval: interval === 'lifetime' ? null : interval,
    limit_usd: usdNumber(limit),
    include_byok_in_budgets: includesByok,
    usage: usdNumber(used),
    held: usdNumber(credits.held + byok.held),
    remaining: usdNumber(limit > used ? limit - used : 0n),
    resets_at: interval === 'lifetime' ? null : windowEnd(interval, now).toISOString(),
    created_at: budget.createdAt.toISOString(),
    updated_at: budget.updatedAt.toISOString(),
  };
}

/** For the log: without figures, which change with every call. */
export const viewBudgetTerms = ({ interval, limit, includesByok }: Budget): object => ({
  interval,
  limit_usd: usdNumber(limit),
  include_byok_in_budgets: includesByok,
});

/** Reaches into the next window, whatever the length of months. */
const REACH_MS: Readonly<Record<Exclude<Interval, 'lifetime'>, number>> = {
  daily: DAY_MS,
  weekly: 7 * DAY_MS,
  monthly: 31 * DAY_MS,
};

/** Start of the window after the one that holds `at`. */
function windowEnd(interval: Exclude<Interval, 'lifetime'>, at: number): Date {
  return windowStart(interval, windowStart(interval, at).getTime() + REACH_MS[interval]);
}
