import { UNSPENT } from '../ledger/spending-windows.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { viewKey, type KeyView } from './key-view.js';

/** What is spent changes with every call and is no one's decision: the log leaves it out. */
const FIGURES = [
  'limit_remaining',
  'limit_held',
  'usage',
  'usage_daily',
  'usage_weekly',
  'usage_monthly',
  'byok_usage',
  'byok_usage_daily',
  'byok_usage_weekly',
  'byok_usage_monthly',
] as const satisfies readonly (keyof KeyView)[];

const FIGURE_NAMES: ReadonlySet<string> = new Set(FIGURES);

/** A key as the audit log keeps it: as management sees it, without the figures of its usage. */
export function viewAuditedKey(key: ApiKeyEntity): Omit<KeyView, (typeof FIGURES)[number]> {
  const fields = Object.entries(viewKey(key, UNSPENT)).filter(([name]) => !FIGURE_NAMES.has(name));
  return Object.fromEntries(fields) as Omit<KeyView, (typeof FIGURES)[number]>;
}
