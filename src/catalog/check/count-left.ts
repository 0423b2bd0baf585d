import type { CatalogSnapshot, Model } from '../../core/routing/catalog.js';
import { planNeutrally, type KnownProviders } from './neutral-plan.js';
import { RESTRICTIONS, requestTo } from './representative-requests.js';

/** The part of a catalog that remains under a restriction by the caller. */
export interface LeftUnder {
  /** `zdr`. */
  readonly restriction: string;
  readonly models: number;
  readonly endpoints: number;
}

/** @param models of the catalog that count */
export function countLeft(
  models: readonly Model[],
  catalog: CatalogSnapshot,
  known: Pick<KnownProviders, 'carries' | 'unmetBy'>,
): readonly LeftUnder[] {
  return RESTRICTIONS.map(({ name, preferences }) => {
    const plans = models.map(({ id }) => planNeutrally(requestTo(id, { preferences }), catalog, known));
    const left = plans.map(({ legs }) => legs.length).filter((count) => count > 0);
    return { restriction: name, models: left.length, endpoints: left.reduce((sum, count) => sum + count, 0) };
  });
}
