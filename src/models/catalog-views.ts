import { Injectable } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { CatalogSnapshot, Endpoint } from '../core/routing/catalog.js';
import { recentlyUsed } from '../shared/recently-used.js';
import { createEntry, listEntries, type ModelEntry } from './model-entry.js';

/** Cached views of models without some of their endpoints, some 2 KB each. */
const NARROWED_MAX = 4096;

/** The views of one catalog. Safe to share. */
export class CatalogView {
  /** Entries in the order of the catalog. */
  readonly entries: readonly ModelEntry[];
  private readonly byId: ReadonlyMap<string, ModelEntry>;
  private readonly narrowed = recentlyUsed<string, ModelEntry>(NARROWED_MAX);

  constructor(readonly catalog: CatalogSnapshot) {
    this.entries = listEntries(catalog);
    this.byId = new Map(this.entries.map((entry) => [entry.model.id, entry]));
  }

  find(id: string): ModelEntry | undefined {
    return this.byId.get(id);
  }

  /** The model with some of its endpoints, at least one: most callers of an account have the same ones. */
  narrow({ model }: ModelEntry, endpoints: readonly Endpoint[]): ModelEntry {
    // Ids and tags contain no spaces.
    const key = [model.id, ...endpoints.map(({ tag }) => tag)].join(' ');
    let entry = this.narrowed.get(key);
    if (!entry) this.narrowed.set(key, (entry = createEntry(model, endpoints)));
    return entry;
  }
}

/** The views of the catalog in force, made once for each version of it. Safe to share. */
@Injectable()
export class CatalogViews {
  private kept: { readonly hash: string; readonly view: CatalogView } | undefined;

  constructor(private readonly store: CatalogStore) {}

  current(): CatalogView {
    const catalog = this.store.current;
    if (this.kept?.hash !== catalog.hash) this.kept = { hash: catalog.hash, view: new CatalogView(catalog) };
    return this.kept.view;
  }
}
