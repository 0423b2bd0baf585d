import type { CatalogSnapshot, Model } from '../../src/core/routing/catalog.js';
import type { PriceChange } from './scenario.js';
import { coversEndpoint } from './scope.js';

/** The catalog over the day: each price change creates another, like a reload. Must be queried in the order of time. */
export class PriceDay {
  private changed = 0;

  /** @param changes in ascending time */
  constructor(
    private catalog: CatalogSnapshot,
    private readonly changes: readonly PriceChange[],
  ) {}

  /** @param dayMs since midnight */
  catalogAt(dayMs: number): CatalogSnapshot {
    for (let next = this.changes[this.changed]; next && next.atMs <= dayMs; next = this.changes[this.changed]) {
      this.changed++;
      this.catalog = applyChange(this.catalog, next, this.changed);
    }
    return this.catalog;
  }
}

function applyChange(catalog: CatalogSnapshot, change: PriceChange, number: number): CatalogSnapshot {
  const { pricing } = change;
  const priced = (model: Model): Model => ({
    ...model,
    endpoints: model.endpoints.map((one) => (coversEndpoint(change, model.id, one) ? { ...one, pricing } : one)),
  });
  const models = new Map([...catalog.models].map(([id, model]) => [id, priced(model)]));
  return { ...catalog, hash: `${catalog.hash} price ${number}`, models };
}
