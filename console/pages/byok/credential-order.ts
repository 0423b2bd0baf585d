import { call } from '../../api/client.js';
import type { Credential } from '../../api/schema.js';

const PAGE = 100;

/** The order in which credentials of a workspace and provider are tried; those of others are listed separately. */
export const inOrderOfUse = (one: Credential, other: Credential): number =>
  one.workspace_id.localeCompare(other.workspace_id) ||
  one.provider.localeCompare(other.provider) ||
  Number(one.is_fallback) - Number(other.is_fallback) ||
  one.sort_order - other.sort_order ||
  one.created_at.localeCompare(other.created_at);

/** The credentials that are tried beside this one, in their order. */
const siblingsOf = (all: readonly Credential[], of: Credential): readonly Credential[] =>
  all.filter((one) => one.is_fallback === of.is_fallback).toSorted(inOrderOfUse);

/** Moves a credential by one place among those of its workspace and provider, all of which are read for it. */
export async function move(of: Credential, by: -1 | 1): Promise<void> {
  const query = { provider: of.provider, workspace_id: of.workspace_id, limit: String(PAGE) };
  const all: Credential[] = [];
  for (let total = Infinity; all.length < total;) {
    const page = await call('byokList', { query: { ...query, offset: String(all.length) } });
    if (page.data.length === 0) break;
    all.push(...page.data);
    total = page.total_count;
  }
  const siblings = siblingsOf(all, of);
  const from = siblings.findIndex(({ id }) => id === of.id);
  const to = from + by;
  if (from === -1 || to < 0 || to >= siblings.length) return;
  const order = siblings.with(from, siblings[to]!).with(to, siblings[from]!);
  for (const [place, { id, sort_order: before }] of order.entries())
    if (before !== place) await call('byokUpdate', { path: { id }, body: { sort_order: place } });
}
