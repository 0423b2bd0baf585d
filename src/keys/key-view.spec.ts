// Every field that clients of any version require is present, and the figures are those of the right window. One key,
// fixed spending.
import { NO_SPENDING, type KeySpending, type SpentByInterval } from '../ledger/spending-windows.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { viewKey, viewKeyStatus, type FreeAllowance } from './key-view.js';

const USD = 1_000_000_000_000n;

const key: ApiKeyEntity = {
  hash: 'a'.repeat(64),
  accountId: 'account',
  workspaceId: 'workspace',
  kind: 'inference',
  isWorkspaceBound: false,
  name: 'name',
  label: 'sk-fl-v1-abc...def',
  disabled: false,
  limitUsd: 10n * USD,
  raisedUsd: null,
  raisedUntil: null,
  limitReset: null,
  includeByokInLimit: false,
  rateLimits: null,
  allowedModels: null,
  egress: null,
  tags: null,
  creatorUserId: 'user',
  externalUser: null,
  expiresAt: null,
  createdAt: new Date('2026-11-21T10:00:00Z'),
  updatedAt: null,
  deletedAt: null,
};

const spent = (daily: bigint, weekly: bigint, monthly: bigint, lifetime: bigint, held: bigint): SpentByInterval => ({
  daily: { used: daily, held },
  weekly: { used: weekly, held: held * 2n },
  monthly: { used: monthly, held: held * 3n },
  lifetime: { used: lifetime, held: held * 4n },
});

const spending: KeySpending = {
  credits: spent(USD, 2n * USD, 3n * USD, 4n * USD, USD / 100n),
  byok: spent(USD / 10n, USD / 5n, (3n * USD) / 10n, (2n * USD) / 5n, USD / 1000n),
  lastUsedAt: new Date('2026-11-20T10:00:00.000Z'),
};

describe('viewKey', () => {
  it('shows a key as management sees it', () => {
    expect(viewKey(key, spending)).toEqual({
      hash: 'a'.repeat(64),
      last_used_at: '2026-11-20T10:00:00.000Z',
      name: 'name',
      label: 'sk-fl-v1-abc...def',
      kind: 'inference',
      is_workspace_bound: false,
      disabled: false,
      limit: 10,
      limit_remaining: 6,
      limit_raise: null,
      limit_reset: null,
      limit_held: 0.04,
      include_byok_in_limit: false,
      rate_limits: null,
      allowed_models: null,
      egress: null,
      metadata: { tags: {} },
      usage: 4,
      usage_daily: 1,
      usage_weekly: 2,
      usage_monthly: 3,
      byok_usage: 0.4,
      byok_usage_daily: 0.1,
      byok_usage_weekly: 0.2,
      byok_usage_monthly: 0.3,
      created_at: '2026-11-21T10:00:00.000Z',
      updated_at: null,
      expires_at: null,
      creator_user_id: 'user',
      external_user: null,
      workspace_id: 'workspace',
    });
  });

  it.each([
    ['daily', false, 9, 0.01],
    ['weekly', false, 8, 0.02],
    ['monthly', false, 7, 0.03],
    [null, false, 6, 0.04],
    ['daily', true, 8.9, 0.011],
    [null, true, 5.6, 0.044],
  ] as const)(
    'measures a %s limit in its own window, own credentials included: %s',
    (limitReset, includeByokInLimit, remaining, held) => {
      expect(viewKey({ ...key, limitReset, includeByokInLimit }, spending)).toMatchObject({
        limit_remaining: remaining,
        limit_held: held,
      });
    },
  );

  it('reports zero remaining, never less, of a limit that is used up or lowered', () => {
    for (const limitUsd of [4n * USD, USD, 0n]) expect(viewKey({ ...key, limitUsd }, spending).limit_remaining).toBe(0);
  });

  it('has no remainder without a limit', () => {
    expect(viewKey({ ...key, limitUsd: null }, spending)).toMatchObject({ limit: null, limit_remaining: null });
  });
});

describe('viewKeyStatus', () => {
  const poor: FreeAllowance = { isFreeTier: true, freeRequestsADay: 50, freeRequests: 0 };

  it('shows a key to its bearer', () => {
    expect(viewKeyStatus({ ...key, expiresAt: new Date('2030-01-01T00:00:00Z') }, NO_SPENDING, poor)).toEqual({
      label: 'sk-fl-v1-abc...def',
      limit: 10,
      limit_remaining: 10,
      limit_raise: null,
      limit_reset: null,
      limit_held: 0,
      include_byok_in_limit: false,
      budgets: [],
      rate_limits: null,
      allowed_models: null,
      usage: 0,
      usage_daily: 0,
      usage_weekly: 0,
      usage_monthly: 0,
      byok_usage: 0,
      byok_usage_daily: 0,
      byok_usage_weekly: 0,
      byok_usage_monthly: 0,
      is_free_tier: true,
      is_management_key: false,
      is_workspace_bound: false,
      is_provisioning_key: false,
      creator_user_id: 'user',
      expires_at: '2030-01-01T00:00:00.000Z',
      allowed_data_regions: ['global'],
      free_model_daily_requests: { used: 0, limit: 50, remaining: 50 },
      organization_id: null,
      workspace_id: 'workspace',
      rate_limit: { requests: -1, interval: '10s', note: expect.any(String) },
    });
  });

  it('distinguishes management keys and paying accounts', () => {
    expect(
      viewKeyStatus({ ...key, kind: 'management', isWorkspaceBound: true }, NO_SPENDING, {
        ...poor,
        isFreeTier: false,
      }),
    ).toMatchObject({
      is_free_tier: false,
      is_management_key: true,
      is_workspace_bound: true,
      is_provisioning_key: true,
    });
  });

  it.each([
    ['none used', 50, 0, { used: 0, limit: 50, remaining: 50 }],
    ['one left', 50, 49, { used: 49, limit: 50, remaining: 1 }],
    ['more of them', 1000, 49, { used: 49, limit: 1000, remaining: 951 }],
    ['all used', 50, 50, { used: 50, limit: 50, remaining: 0 }],
    ['more used than a lowered limit', 50, 51, { used: 51, limit: 50, remaining: 0 }],
  ])('reports the free requests of the day by their number: %s', (_, freeRequestsADay, freeRequests, expected) => {
    // Independent of the tier: the first purchase may be a small one.
    for (const isFreeTier of [true, false]) {
      const status = viewKeyStatus(key, NO_SPENDING, { isFreeTier, freeRequestsADay, freeRequests });
      expect(status.free_model_daily_requests).toEqual(expected);
    }
  });
});
