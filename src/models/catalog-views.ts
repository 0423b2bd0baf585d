import { Injectable } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { listEntries, type ModelEntry } from './model-entry.js';

/** A catalog with the views of its models. */
export interface CatalogView {
  readonly catalog: CatalogSnapshot;
  readonly entries: readonly ModelEntry[];
  readonly byId: ReadonlyMap<string, ModelEntry>;
}

/** The views of the catalog in force, made once for each content of it. Safe to share. */
@Injectable()
export class CatalogViews {
  private view: CatalogView | undefined;

  constructor(private readonly store: CatalogStore) {}

  current(): CatalogView {
    const catalog = this.store.current();
    if (this.view?.catalog.hash === catalog.hash) return this.view;
    const entries = listEntries(catalog);
    return (this.view = { catalog, entries, byId: new Map(entries.map((entry) => [entry.model.id, entry])) });
  }

  find(id: string): ModelEntry | undefined {
    return this.current().byId.get(id);
  }
}
