import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CatalogStore } from '../catalog/catalog-store.js';
import { GatewayError } from '../core/errors.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { readModelName } from '../core/routing/model-name.js';
import { modelId, nearestModels } from '../core/routing/resolve-model.js';
import { nearestName } from '../shared/http/nearest-name.js';

/** The newest records that are compared with a name: those of hours that have no figures yet. Chosen. */
const NEWEST_RECORDS = 2_000;

/** The facts that the catalog and the records have about a name. */
interface NameKind {
  /** Noun for one of them in messages. */
  readonly noun: string;
  readonly isInCatalog: (catalog: CatalogSnapshot, name: string) => boolean;
  readonly nearest: (catalog: CatalogSnapshot, name: string) => string | undefined;
  /** SQL: of a generation `g`, as the column of figures with the name of the kind has it. */
  readonly ofGeneration: string;
}

/** Names that lists and figures are filtered by. */
const KINDS = {
  model: {
    noun: 'model',
    isInCatalog: (catalog, name) => modelId(catalog, readModelName(name).id) !== undefined,
    nearest: (catalog, name) => nearestModels(catalog, name)[0],
    ofGeneration: 'coalesce(g.model, g.requested_model)',
  },
  provider: {
    noun: 'provider',
    isInCatalog: ({ providers }, name) => providers.has(name),
    nearest: ({ providers }, name) => nearestName(name, providers.keys()),
    ofGeneration: 'g.provider',
  },
  endpoint: {
    noun: 'endpoint',
    isInCatalog: (catalog, name) => tagsOf(catalog).has(name),
    nearest: (catalog, name) => nearestName(name, tagsOf(catalog)),
    ofGeneration: 'g.endpoint',
  },
} as const satisfies Readonly<Record<string, NameKind>>;

export type NamedKind = keyof typeof KINDS;
export const isNamedKind = (kind: string): kind is NamedKind => Object.hasOwn(KINDS, kind);

/** Names that a query gives for one field. */
export interface GivenNames {
  /** Named in the complaint. */
  readonly path: string;
  readonly kind: NamedKind;
  readonly names: readonly string[];
}

/** The names in a query whose parameters are called like their kinds. */
export const namesIn = <Kind extends NamedKind>(
  query: { readonly [Name in Kind]?: string },
  kinds: readonly Kind[],
): readonly GivenNames[] =>
  kinds.flatMap((kind) => (query[kind] === undefined ? [] : { path: kind, kind, names: [query[kind]] }));

/**
 * A mistyped name must not look like one that nothing was spent on. What the catalog has, or has had when a record was
 * written, is known.
 */
@Injectable()
export class FilterNames {
  constructor(
    private readonly catalog: CatalogStore,
    private readonly database: DataSource,
  ) {}

  /** @throws GatewayError `invalid-request`, naming the nearest in the catalog */
  async assertKnown(accountId: string, filters: readonly GivenNames[]): Promise<void> {
    const catalog = this.catalog.current;
    for (const { path, kind, names } of filters) {
      const { noun, isInCatalog, nearest }: NameKind = KINDS[kind];
      const absent = names.filter((name) => !isInCatalog(catalog, name));
      if (absent.length === 0) continue;
      const recorded = await this.recorded(accountId, kind, absent);
      const unknown = absent.find((name) => !recorded.has(name));
      if (unknown === undefined) continue;
      const near = nearest(catalog, unknown);
      const reason = `no ${noun} of the catalog and no record has this name`;
      throw new GatewayError(
        'invalid-request',
        `${path}: ${reason}${near === undefined ? '' : `; did you mean ${near}?`}`,
      );
    }
  }

  /** The names that occur in figures or in the newest records. No other records are read. */
  private async recorded(accountId: string, kind: NamedKind, names: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.query<{ name: string }[]>(
      `SELECT name FROM unnest($2::text[]) AS name
       WHERE EXISTS (
         SELECT FROM generation_figures f WHERE f.account_id = $1 AND f.${kind} = name AND f.span = 'day' AND f.detail = 'none'
       ) OR name IN (
         SELECT ${KINDS[kind].ofGeneration} FROM (
           SELECT * FROM generations WHERE account_id = $1 ORDER BY held_at DESC, id DESC LIMIT ${NEWEST_RECORDS}
         ) AS g
       )`,
      [accountId, names],
    );
    return new Set(rows.map(({ name }) => name));
  }
}

function tagsOf({ models }: CatalogSnapshot): ReadonlySet<string> {
  const tags = new Set<string>();
  for (const { endpoints } of models.values()) for (const { tag } of endpoints) tags.add(tag);
  return tags;
}
