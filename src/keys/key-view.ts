import { raisedLimit, type Raise } from '../accounts/budgets.js';
import type { FreeTier } from '../accounts/account-directory.js';
import { usdNumber, type PicoUsd } from '../core/money/credits.js';
import { budgetLeftView, type BudgetLeft } from '../ledger/budgets-left.js';
import type { KeySpending, CounterState } from '../ledger/spending-windows.js';
import { egressView } from '../accounts/egress-fields.js';
import { viewExposed } from '../shared/http/column-exposure.js';
import { RESET_INTERVALS, type Interval } from '../core/time.js';
import {
  flag,
  integer,
  map,
  moment,
  nullable,
  number,
  object,
  oneOf,
  optional,
  rows,
  text,
  titled,
  described,
  type Static,
} from '../shared/http/schema.js';
import { ApiKeyEntity } from './api-key.entity.js';
import type { FormerSecret } from './keys.repository.js';

const figures = object({
  limit: nullable(number()),
  limit_remaining: nullable(number()),
  limit_raise: described(
    'Of the limit until that moment; null: none.',
    nullable(object({ amount_usd: number(), until: moment() })),
  ),
  limit_reset: nullable(oneOf(RESET_INTERVALS)),
  limit_held: described('Reserved for calls that are under way; not yet in `usage`.', number()),
  include_byok_in_limit: flag(),
  usage: number(),
  usage_daily: number(),
  usage_weekly: number(),
  usage_monthly: number(),
  byok_usage: number(),
  byok_usage_daily: number(),
  byok_usage_weekly: number(),
  byok_usage_monthly: number(),
});
type FiguresView = Static<typeof figures>;

/** The restrictions of a key other than money. */
const bounds = object({
  rate_limits: nullable(object({ requests_per_minute: nullable(integer()), tokens_per_minute: nullable(integer()) })),
  allowed_models: nullable(rows(text())),
});

const keyProperties = {
  hash: described('Its id, which no rotation changes.', text()),
  name: text(),
  label: text(),
  kind: oneOf(['inference', 'management']),
  is_workspace_bound: flag(),
  disabled: flag(),
  ...figures.properties,
  ...bounds.properties,
  egress: egressView,
  metadata: object({ tags: described('Of its requests that name no others.', map(text())) }),
  created_at: moment(),
  updated_at: nullable(moment()),
  expires_at: nullable(moment()),
  creator_user_id: nullable(text()),
  external_user: nullable(text()),
  workspace_id: text(),
  last_used_at: described('When its last generation that is recorded began; null: none is.', nullable(moment())),
  deleted_at: optional(described('Of a deleted key alone.', moment())),
};

/** A key as management sees it (docs/operate/keys.md#administration). */
export const keyView = titled('key', object(keyProperties));
export type KeyView = Static<typeof keyView>;

/** A secret that still works beside the latest one of its key (docs/operate/keys.md#rotation). */
const formerSecretView = object({
  id: text(),
  label: described('Null of one that a release before this one replaced.', nullable(text())),
  expires_at: moment(),
});
type FormerSecretView = Static<typeof formerSecretView>;

export const viewFormerSecret = ({ id, label, endsAt }: FormerSecret): FormerSecretView => ({
  id,
  label,
  expires_at: endsAt.toISOString(),
});

/** A key alone, with its other valid secrets. */
export const wholeKeyView = titled('whole-key', object({ ...keyProperties, former_secrets: rows(formerSecretView) }));
export type WholeKeyView = Static<typeof wholeKeyView>;

/** A key as its own bearer sees it (docs/operate/keys.md#key-status). */
export const keyStatusView = titled(
  'key-status',
  object({
    label: text(),
    ...figures.properties,
    ...bounds.properties,
    is_free_tier: flag(),
    is_management_key: flag(),
    is_workspace_bound: flag(),
    is_provisioning_key: described('The former name of `is_management_key`.', flag()),
    creator_user_id: nullable(text()),
    expires_at: nullable(moment()),
    allowed_data_regions: rows(text()),
    free_model_daily_requests: object({ used: integer(), limit: integer(), remaining: integer() }),
    budgets: described('What budgets of its member and its tags leave.', rows(budgetLeftView)),
    organization_id: nullable(text()),
    workspace_id: text(),
    rate_limit: described(
      'Has no meaning and can be ignored.',
      object({ requests: integer(), interval: text(), note: text() }),
    ),
  }),
);
export type KeyStatusView = Static<typeof keyStatusView>;

/**
 * A key without its usage, as the audit log stores it: usage changes with every call and is no administrative change.
 */
export const viewKeyTerms = (key: ApiKeyEntity): KeyTermsView => ({
  ...viewExposed<Omit<KeyTermsView, keyof typeof bounds.properties | 'egress' | 'metadata' | 'limit_raise'>>(
    ApiKeyEntity,
    key,
  ),
  ...viewBounds(key),
  limit_raise: viewRaise(raiseOf(key)),
  egress: key.egress,
  metadata: { tags: key.tags ?? {} },
});
type KeyTermsView = Omit<
  KeyView,
  | Exclude<keyof FiguresView, 'limit' | 'limit_raise' | 'limit_reset' | 'include_byok_in_limit'>
  | 'last_used_at'
  | 'deleted_at'
>;

const viewBounds = ({ rateLimits, allowedModels }: ApiKeyEntity): Static<typeof bounds> => ({
  rate_limits: rateLimits,
  allowed_models: allowedModels,
});

export function viewKey(key: ApiKeyEntity, spending: KeySpending): KeyView {
  return {
    ...viewKeyTerms(key),
    ...viewFigures(key, spending),
    last_used_at: spending.lastUsedAt?.toISOString() ?? null,
    ...(key.deletedAt && { deleted_at: key.deletedAt.toISOString() }),
  };
}

export const viewWholeKey = (
  key: ApiKeyEntity,
  spending: KeySpending,
  former: readonly FormerSecret[],
): WholeKeyView => ({ ...viewKey(key, spending), former_secrets: former.map(viewFormerSecret) });

/** The remaining free requests of the account of a key. */
export interface FreeAllowance extends FreeTier {
  /** Made to free variants on the current UTC day. */
  readonly freeRequests: number;
}

/** The union of what all client versions read: those that know fewer fields ignore the rest. */
export function viewKeyStatus(
  key: ApiKeyEntity,
  spending: KeySpending,
  account: FreeAllowance,
  budgets: readonly BudgetLeft[] = [],
): KeyStatusView {
  const isManagementKey = key.kind === 'management';
  return {
    label: key.label,
    ...viewFigures(key, spending),
    ...viewBounds(key),
    is_free_tier: account.isFreeTier,
    is_management_key: isManagementKey,
    is_workspace_bound: key.isWorkspaceBound,
    is_provisioning_key: isManagementKey,
    creator_user_id: key.creatorUserId,
    expires_at: key.expiresAt && key.expiresAt.toISOString(),
    allowed_data_regions: ['global'],
    free_model_daily_requests: viewFreeRequests(account),
    budgets,
    organization_id: null,
    workspace_id: key.workspaceId,
    // docs/operate/keys.md#key-status: a legacy field that clients require and should not read.
    rate_limit: { requests: -1, interval: '10s', note: 'Deprecated: it has no meaning and can be ignored.' },
  };
}

function viewFreeRequests({
  freeRequestsADay: limit,
  freeRequests: used,
}: FreeAllowance): KeyStatusView['free_model_daily_requests'] {
  return { used, limit, remaining: Math.max(0, limit - used) };
}

function viewFigures(key: ApiKeyEntity, spending: KeySpending): FiguresView {
  const { credits, byok } = spending;
  const enforced = limitedSpending(key, spending);
  const limit = raisedLimit(key.limitUsd ?? 0n, raiseOf(key), Date.now());
  return {
    limit: key.limitUsd === null ? null : usdNumber(key.limitUsd),
    limit_raise: viewRaise(raiseOf(key)),
    limit_remaining: key.limitUsd === null ? null : usdNumber(atLeastZero(limit - enforced.used)),
    limit_reset: key.limitReset,
    limit_held: usdNumber(enforced.held),
    include_byok_in_limit: key.includeByokInLimit,
    usage: usdNumber(credits.lifetime.used),
    usage_daily: usdNumber(credits.daily.used),
    usage_weekly: usdNumber(credits.weekly.used),
    usage_monthly: usdNumber(credits.monthly.used),
    byok_usage: usdNumber(byok.lifetime.used),
    byok_usage_daily: usdNumber(byok.daily.used),
    byok_usage_weekly: usdNumber(byok.weekly.used),
    byok_usage_monthly: usdNumber(byok.monthly.used),
  };
}

/** The spending that counts toward the key's limit, in the window of the limit. */
function limitedSpending(key: ApiKeyEntity, { credits, byok }: KeySpending): CounterState {
  const interval: Interval = key.limitReset ?? 'lifetime';
  if (!key.includeByokInLimit) return credits[interval];
  return {
    used: credits[interval].used + byok[interval].used,
    held: credits[interval].held + byok[interval].held,
  };
}

const raiseOf = ({ raisedUsd, raisedUntil }: ApiKeyEntity): Raise | null =>
  raisedUsd !== null && raisedUntil ? { amount: raisedUsd, until: raisedUntil } : null;

const viewRaise = (raise: Raise | null): FiguresView['limit_raise'] =>
  raise && raise.until.getTime() > Date.now()
    ? { amount_usd: usdNumber(raise.amount), until: raise.until.toISOString() }
    : null;

const atLeastZero = (amount: PicoUsd): PicoUsd => (amount > 0n ? amount : 0n);
