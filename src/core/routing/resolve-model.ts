import type { CatalogSnapshot } from './catalog.js';
import type { StoredCredential } from './credential.js';
import { NameIndex } from './name-index.js';
import type { RoutingPolicy } from './route-inputs.js';

/** What a name of a model stands for. */
export type ResolvedModel =
  | { readonly id: string }
  /** Several models by this name, in the catalog's order: nobody guesses which was meant. */
  | { readonly candidates: readonly string[] };

type Models = CatalogSnapshot['models'];
type KnownCatalog = Pick<CatalogSnapshot, 'models'>;

/** How many names are offered in the place of one that nobody knows. */
const NEAREST_MAX = 3;

const INDEXES = new WeakMap<Models, ModelNames>();

/**
 * The model that a caller means, its routing suffixes taken off already (docs/models.md#names-of-models): its id; else
 * an alias of the catalog; else the slug of one author alone; else the name that providers have for one model alone. A
 * catalogue variant such as `:free` may stand behind any of them.
 * @returns undefined where nothing is called so
 */
export function resolveModel({ models }: Pick<CatalogSnapshot, 'models'>, name: string): ResolvedModel | undefined {
  // As most are named.
  if (models.has(name)) return { id: name };
  const names = namesOf(models);
  const whole = names.find(name);
  if (whole) return whole;
  // Names of providers may have a colon of their own, so this comes last.
  const colon = name.indexOf(':');
  if (colon === -1) return undefined;
  const plain = names.find(name.slice(0, colon));
  if (!plain || 'candidates' in plain) return plain;
  const id = plain.id + name.slice(colon);
  return models.has(id) ? { id } : undefined;
}

/** The id of the one model that is meant; undefined where it is none, or several. */
export function modelId(catalog: KnownCatalog, name: string): string | undefined {
  const resolved = resolveModel(catalog, name);
  return resolved && 'id' in resolved ? resolved.id : undefined;
}

/**
 * The policies with ids in their lists of models, for those are what is compared: no name lets a model past a list.
 * Patterns stand as they are. A name of several models allows none of them, and forbids all.
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

/** The same of the models that credentials are allowed for. */
export const withAllowedIds = keptByList(findAllowedIds);

function findAllowedIds(credentials: readonly StoredCredential[], catalog: KnownCatalog): readonly StoredCredential[] {
  if (!credentials.some(({ allowedModels }) => allowedModels)) return credentials;
  return credentials.map((credential) => {
    const allowedModels = credential.allowedModels?.map((name) => modelId(catalog, name) ?? name);
    return allowedModels ? { ...credential, allowedModels } : credential;
  });
}

function idsOf(catalog: KnownCatalog, name: string): readonly string[] {
  const resolved = resolveModel(catalog, name);
  if (!resolved) return [name];
  return 'id' in resolved ? [resolved.id] : resolved.candidates;
}

/** Ids of the models whose names are most like this one, the nearest first; none where nothing is like it. */
export const nearestModels = ({ models }: Pick<CatalogSnapshot, 'models'>, name: string): readonly string[] =>
  namesOf(models).nearest(name, NEAREST_MAX);

function namesOf(models: Models): ModelNames {
  let names = INDEXES.get(models);
  if (!names) INDEXES.set(models, (names = new ModelNames(models)));
  return names;
}

/** What models are called besides their ids. Made once for a catalog. */
class ModelNames {
  private readonly aliases = new Map<string, string>();
  private readonly slugs = new Map<string, string[]>();
  private readonly upstreamNames = new Map<string, string[]>();
  /** Made when the first name is asked for that nobody knows. */
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
 * A plain model is meant before its variants, which are often the same at the provider: those are asked for by name.
 */
function oneOf(ids: readonly string[] | undefined): ResolvedModel | undefined {
  if (!ids) return undefined;
  const plain = ids.filter((id) => !id.includes(':'));
  const candidates = plain.length > 0 ? plain : ids;
  return candidates.length === 1 ? { id: candidates[0]! } : { candidates };
}

/**
 * What is found for a list, kept with the catalog that was in force last: lists of policies and of credentials are the
 * same ones for seconds.
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
