// A budget is shown with the figures that are enforced, and with the end of its window, whatever the length of the
// month.
import type { StoredBudget } from '../accounts/budgets.js';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import type { Interval } from '../core/time.js';
import { NO_SPENDING, type KeySpending } from '../ledger/spending-windows.js';
import { viewBudget } from './budget-view.js';
import { derivedId } from '../accounts/derived-id.js';

const USD = 1_000_000_000_000n;
const WORKSPACE = { id: 'home' } as WorkspaceEntity;
const budget = (interval: Interval, changes: Partial<StoredBudget> = {}): StoredBudget => ({
  scope: 'workspace',
  scopeId: 'home',
  interval,
  limit: 5n * USD,
  includesByok: false,
  raise: null,
  subject: null,
  createdAt: new Date(1),
  updatedAt: new Date(2),
  ...changes,
});
const SPENT: KeySpending = {
  credits: { ...NO_SPENDING.credits, daily: { used: 2n * USD, held: 1n * USD } },
  byok: { ...NO_SPENDING.byok, daily: { used: 4n * USD, held: 3n * USD } },
};

describe('viewBudget', () => {
  it.each([
    [false, { usage: 2, held: 1, remaining: 3 }],
    [true, { usage: 6, held: 4, remaining: 0 }],
  ])('counts own credentials: %s', (includesByok, figures) => {
    expect(viewBudget(budget('daily', { includesByok }), WORKSPACE, SPENT, 0)).toMatchObject(figures);
    expect(viewBudget(budget('weekly', { includesByok }), WORKSPACE, SPENT, 0)).toMatchObject({
      usage: 0,
      held: 0,
      remaining: 5,
    });
  });

  it.each([
    ['daily', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'],
    ['daily', '2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
    ['weekly', '2026-11-22T23:59:59.999Z', '2026-11-23T00:00:00.000Z'],
    ['weekly', '2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
    ['monthly', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['monthly', '2026-01-31T12:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['monthly', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
    ['lifetime', '2026-12-31T23:59:59.999Z', null],
  ] as const)('%s at %s ends at %s', (interval, now, end) => {
    const view = viewBudget(budget(interval), WORKSPACE, NO_SPENDING, Date.parse(now));
    expect([view.resets_at, view.reset_interval]).toEqual([end, interval === 'lifetime' ? null : interval]);
  });
});

describe('derivedId', () => {
  it('is a UUID of version 8, the same for the same words only', () => {
    const ids = Array.from({ length: 100 }, (_, index) => derivedId('budget', String(index)));
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids).size).toBe(100);
    expect(derivedId('budget', '7')).toBe(ids[7]);
    expect(derivedId('budget7')).not.toBe(derivedId('budget', '7'));
  });
});
