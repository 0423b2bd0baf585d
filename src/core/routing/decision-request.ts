import type { CatalogProvider } from './catalog.js';
import type { StoredCredential } from './credential.js';
import { unlessEmpty, type DecisionRecord, type KeyRecord } from './decision-record.js';
import { matchesModel } from './model-pattern.js';
import type { ProviderPreferences } from './preferences.js';
import type { NamedModel, RouteInputs, RouteNeeds, RoutingPolicy } from './route-inputs.js';
import { namesProvider, readSlug } from './slug.js';

/** By slug, the providers that serve any of a request's models. */
export type Providers = ReadonlyMap<string, CatalogProvider>;

export function providersOf({ needs, catalog }: Pick<RouteInputs, 'needs' | 'catalog'>): Providers {
  const providers = new Map<string, CatalogProvider>();
  for (const { id } of needs.models) {
    for (const { provider } of catalog.models.get(id)?.endpoints ?? []) providers.set(provider.slug, provider);
  }
  return providers;
}

type NeedsParts = Pick<
  DecisionRecord,
  'models' | 'refusal' | 'preferences' | 'parameters' | 'modalities' | 'prompt' | 'output' | 'tier'
>;

export function recordNeeds(needs: RouteNeeds, providers: Providers): NeedsParts {
  const preferences = withoutStrangers(needs.preferences, providers);
  return {
    models: isAsRequested(needs) ? undefined : needs.models.map(({ id, sort }) => (sort ? ([id, sort] as const) : id)),
    refusal: needs.movesOnRefusal || undefined,
    preferences: Object.keys(preferences).length > 0 ? preferences : undefined,
    parameters: unlessEmpty(needs.parameters),
    modalities: unlessEmpty(needs.modalities),
    prompt: needs.promptTokensMin || undefined,
    output: needs.maxOutputTokens,
    tier: needs.tier === 'standard' ? undefined : needs.tier,
  };
}

const isAsRequested = ({ models, requested }: RouteNeeds): boolean =>
  models.length === 1 && models[0]!.id === requested && models[0]!.sort === undefined;

export function deriveNeeds(record: DecisionRecord): RouteNeeds {
  const requested = record.requested!;
  return {
    requested,
    models: (record.models ?? [requested]).map((model): NamedModel =>
      typeof model === 'string' ? { id: model } : { id: model[0], sort: model[1] },
    ),
    movesOnRefusal: record.refusal ?? false,
    preferences: record.preferences ?? {},
    parameters: record.parameters ?? [],
    modalities: record.modalities ?? [],
    promptTokensMin: record.prompt ?? 0,
    ...(record.output !== undefined && { maxOutputTokens: record.output }),
    tier: record.tier ?? 'standard',
  };
}

type CallerParts = Pick<DecisionRecord, 'policies' | 'keys' | 'shared' | 'unshared'>;

export function recordCaller(
  { needs, policies, isShared }: Pick<RouteInputs, 'needs' | 'policies' | 'isShared'>,
  credentials: readonly StoredCredential[],
  providers: Providers,
): CallerParts {
  const all = [...providers.values()];
  const shared = all.filter((provider) => isShared(provider)).map(({ slug }) => slug);
  const unshared = all.filter((provider) => !isShared(provider)).map(({ slug }) => slug);
  return {
    policies: unlessEmpty(policies.map((policy) => withoutOtherModels(withoutStrangers(policy, providers), needs))),
    keys: unlessEmpty(credentials.map((credential) => recordKey(credential, needs))),
    ...(shared.length < unshared.length ? { shared } : { unshared: unlessEmpty(unshared) }),
  };
}

export function deriveIsShared({ shared, unshared = [] }: DecisionRecord): RouteInputs['isShared'] {
  return shared ? ({ slug }) => shared.includes(slug) : ({ slug }) => !unshared.includes(slug);
}

function recordKey(credential: StoredCredential, { models }: RouteNeeds): KeyRecord {
  const { id, provider, sortOrder, isFallback, allowedModels, replacesShared } = credential;
  const allowed = allowedModels && [...models.keys()].filter((index) => allowedModels.includes(models[index]!.id));
  return {
    id,
    provider,
    order: sortOrder || undefined,
    fallback: isFallback || undefined,
    replaces: replacesShared || undefined,
    models: allowed?.length === models.length ? undefined : allowed,
  };
}

export function deriveCredentials(
  { keys = [] }: DecisionRecord,
  models: readonly NamedModel[],
): readonly StoredCredential[] {
  return keys.map(({ id, provider, order = 0, fallback = false, replaces, models: allowed }) => ({
    id,
    provider,
    isFallback: fallback,
    sortOrder: order,
    ...(allowed && { allowedModels: allowed.map((index) => models[index]!.id) }),
    ...(replaces && { replacesShared: true }),
  }));
}

const MODEL_LISTS = ['onlyModels', 'ignoreModels'] as const;

/** Likewise of models. */
function withoutOtherModels(policy: RoutingPolicy, { models }: RouteNeeds): RoutingPolicy {
  let shorter = policy;
  for (const list of MODEL_LISTS) {
    const patterns = policy[list];
    if (!patterns) continue;
    const fitting = patterns.filter((pattern) => models.some(({ id }) => matchesModel(pattern, id)));
    shorter = { ...shorter, [list]: fitting };
  }
  return shorter;
}

const LISTS = ['order', 'only', 'ignore'] as const;

/** An allow-list of an enterprise names many providers that have nothing to do with this request. */
function withoutStrangers<T extends ProviderPreferences | RoutingPolicy>(lists: T, providers: Providers): T {
  let shorter = lists;
  for (const list of LISTS) {
    const entries = (lists as ProviderPreferences)[list];
    if (entries) shorter = { ...shorter, [list]: namingAny(entries, providers) };
  }
  return shorter;
}

/** Of a list that names none, one entry stays: an empty list could mean that none was given. */
function namingAny(entries: readonly string[], providers: Providers): readonly string[] {
  const named = entries.filter((entry) => {
    const pattern = readSlug(entry);
    for (const provider of providers.values()) if (namesProvider(pattern, provider)) return true;
    return false;
  });
  return named.length > 0 ? named : entries.slice(0, 1);
}
