import type { CatalogSnapshot } from './catalog.js';
import type { StoredCredential } from './credential.js';
import { matchesModel } from './model-pattern.js';
import { NameIndex } from './name-index.js';
import type { RoutingPolicy } from './route-inputs.js';

/** The result of looking up a model name. */
export type ResolvedModel =
  | { readonly id: string }
  /** Several models share this name, in the catalog's order: the gateway does not guess. */
  | { readonly candidates: readonly string[] };

type Models = CatalogSnapshot['models'];
type KnownCatalog = Pick<CatalogSnapshot, 'models'>;

/** Limit of similar names that are offered for an unknown one. */
const NEAREST_MAX = 3;

const INDEXES = new WeakMap<Models, ModelNames>();

/**
 * Looks up a model by a name without routing suffixes (docs/use/models.md#names-of-models): its id; else an alias of
 * the catalog; else the slug of a single author; else the name that providers have for a single model. A catalogue
 * variant such as `:free` may follow any of them.
 * @returns undefined where no model has this name
 */
export function resolveModel({ models }: Pick<CatalogSnapshot, 'models'>, name: string): ResolvedModel | undefined {
  // The most common case.
  if (models.has(name)) return { id: name };
  const names = namesOf(models);
  const whole = names.find(name);
  if (whole) return whole;
  // Names of providers may contain a colon themselves, so this comes last.
  const colon = name.indexOf(':');
  if (colon === -1) return undefined;
  const plain = names.find(name.slice(0, colon));
  if (!plain || 'candidates' in plain) return plain;
  const id = plain.id + name.slice(colon);
  return models.has(id) ? { id } : undefined;
}

/** The id of the single model with this name; undefined where there is none, or several. */
export function modelId(catalog: KnownCatalog, name: string): string | undefined {
  const resolved = resolveModel(catalog, name);
  return resolved && 'id' in resolved ? resolved.id : undefined;
}

/**
 * Replaces the names in the policies' model lists by ids, because ids are compared: another name cannot bypass a list.
 * Patterns are kept. An ambiguous name allows none of its models, and forbids all of them.
 */
export const withModelIds = keptByList(findModelIds);

function findModelIds(policies: readonly RoutingPolicy[], catalog: KnownCatalog): readonly RoutingPolicy[] {
  if (!policies.some(({ onlyModels, keyModels, ignoreModels }) => onlyModels || keyModels || ignoreModels))
    return policies;
  const withIds = (names: readonly string[]): string[] => names.map((name) => modelId(catalog, name) ?? name);
  return policies.map((policy) => ({
    ...policy,
    ...(policy.onlyModels && { onlyModels: withIds(policy.onlyModels) }),
    ...(policy.keyModels && { keyModels: withIds(policy.keyModels) }),
    ...(policy.ignoreModels && { ignoreModels: policy.ignoreModels.flatMap((name) => idsOf(catalog, name)) }),
  }));
}

/** As `withModelIds`, for the models that credentials are allowed for. */
export const withAllowedIds = keptByList(findAllowedIds);

function findAllowedIds(credentials: readonly StoredCredential[], catalog: KnownCatalog): readonly StoredCredential[] {
  if (!credentials.some(({ allowedModels }) => allowedModels)) return credentials;
  return credentials.map((credential) => {
    const { allowedModels } = credential;
    return allowedModels ? { ...credential, allowedModels: allowedIds(allowedModels, catalog) } : credential;
  });
}

/** The ids of the models that names and patterns allow; a name of several models allows none. */
export const allowedIds = (entries: readonly string[], catalog: KnownCatalog): readonly string[] =>
  entries.flatMap((entry) =>
    entry.includes('*')
      ? [...catalog.models.keys()].filter((id) => matchesModel(entry, id))
      : [modelId(catalog, entry) ?? entry],
  );

function idsOf(catalog: KnownCatalog, name: string): readonly string[] {
  const resolved = resolveModel(catalog, name);
  if (!resolved) return [name];
  return 'id' in resolved ? [resolved.id] : resolved.candidates;
}

/** Ids of the models with the most similar names, the nearest first; empty where none is similar. */
export const nearestModels = ({ models }: Pick<CatalogSnapshot, 'models'>, name: string): readonly string[] =>
  namesOf(models).nearest(name, NEAREST_MAX);

function namesOf(models: Models): ModelNames {
  let names = INDEXES.get(models);
  if (!names) INDEXES.set(models, (names = new ModelNames(models)));
  return names;
}

/** The names of models besides their ids. Built once for a catalog. */
class ModelNames {
  private readonly aliases = new Map<string, string>();
  private readonly slugs = new Map<string, string[]>();
  private readonly upstreamNames = new Map<string, string[]>();
  /** Built when the first unknown name is looked up. */
  private similar: NameIndex | undefined;

  constructor(private readonly models: Models) {
    for (const { id, aliases = [], endpoints } of models.values()) {
      for (const alias of aliases) this.aliases.set(alias, id);
      addTo(this.slugs, slugOf(id), id);
      for (const upstream of new Set(endpoints.map(({ upstreamModel }) => upstreamModel))) {
        addTo(this.upstreamNames, upstream, id);
      }
    }
  }

  find(name: string): ResolvedModel | undefined {
    if (this.models.has(name)) return { id: name };
    const alias = this.aliases.get(name);
    if (alias !== undefined) return { id: alias };
    return oneOf(this.slugs.get(name)) ?? oneOf(this.upstreamNames.get(name));
  }

  nearest(name: string, most: number): readonly string[] {
    this.similar ??= new NameIndex(this.entries());
    return this.similar.of(name, most);
  }

  private *entries(): Generator<readonly [name: string, id: string]> {
    for (const { id, aliases = [] } of this.models.values()) {
      yield [id, id];
      yield [slugOf(id), id];
      for (const alias of aliases) yield [alias, id];
    }
  }
}

const slugOf = (id: string): string => id.slice(id.indexOf('/') + 1);

function addTo(index: Map<string, string[]>, name: string, id: string): void {
  const ids = index.get(name);
  if (ids) ids.push(id);
  else index.set(name, [id]);
}

/**
 * A plain model takes precedence over its variants, which often have the same name at the provider: variants are
 * requested by their own names.
 */
function oneOf(ids: readonly string[] | undefined): ResolvedModel | undefined {
  if (!ids) return undefined;
  const plain = ids.filter((id) => !id.includes(':'));
  const candidates = plain.length > 0 ? plain : ids;
  return candidates.length === 1 ? { id: candidates[0]! } : { candidates };
}

/**
 * Caches the result for each list with the most recent catalog: the lists of policies and credentials are reused for
 * seconds.
 */
function keptByList<Item>(find: (list: readonly Item[], catalog: KnownCatalog) => readonly Item[]) {
  const known = new WeakMap<readonly Item[], { readonly models: Models; readonly found: readonly Item[] }>();
  return (list: readonly Item[], catalog: KnownCatalog): readonly Item[] => {
    if (list.length === 0) return list;
    const kept = known.get(list);
    if (kept?.models === catalog.models) return kept.found;
    const found = find(list, catalog);
    known.set(list, { models: catalog.models, found });
    return found;
  };
}
