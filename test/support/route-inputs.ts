import { withGeographies } from '../../src/catalog/read-geographies.js';
import type { CatalogProvider, CatalogSnapshot, Endpoint, Model, Pricing } from '../../src/core/routing/catalog.js';
import type { StoredCredential } from '../../src/core/routing/credential.js';
import type { EndpointHealth, HealthKey } from '../../src/core/routing/health.js';
import type { Plan } from '../../src/core/routing/plan.js';
import { planRoute } from '../../src/core/routing/plan-route.js';
import type { RouteInputs, RouteNeeds } from '../../src/core/routing/route-inputs.js';

// Inputs of plans with defaults for everything but the point of a test: an endpoint supports all, keeps nothing and is
// free of faults; the operator can call every provider.

/** USD per million tokens → 10⁻¹² USD per token. */
export const perMillion = (usd: number): bigint => BigInt(Math.round(usd * 1_000_000));

/** Prompt and completion share the price: `price(2)` compares as 2. */
export const price = (usd: number, others: Partial<Pricing> = {}): Pricing => ({
  prompt: perMillion(usd / 2),
  completion: perMillion(usd / 2),
  tiers: [],
  ...others,
});

export const provider = (slug: string, policy: Partial<CatalogProvider['policy']> = {}): CatalogProvider => ({
  slug,
  name: slug.toUpperCase(),
  dialect: 'simulated',
  baseUrl: `simulated://${slug}`,
  policy: { collectsData: false, zeroDataRetention: true, ...policy },
});

type EndpointParts = Partial<Omit<Endpoint, 'provider'>> & {
  readonly policy?: Partial<CatalogProvider['policy']>;
  readonly usd?: number;
};

export function endpoint(tag: string, { policy, usd = 1, ...parts }: EndpointParts = {}): Endpoint {
  const [slug, variant] = tag.split('/');
  return {
    tag,
    provider: provider(slug!, policy),
    ...(variant !== undefined && { variant }),
    upstreamModel: 'upstream',
    pricing: price(usd),
    quantization: 'unknown',
    contextLength: 100_000,
    supportedParameters: [],
    ...parts,
  };
}

/** The endpoint with a copy of itself in each of these geographies. */
export const inGeographies = (one: Endpoint, prices: Readonly<Record<string, Pricing>>): Endpoint =>
  withGeographies(one, new Map(Object.entries(prices)));

export const model = (id: string, endpoints: readonly Endpoint[], parts: Partial<Model> = {}): Model => ({
  id,
  name: id,
  contextLength: 100_000,
  inputModalities: ['text'],
  outputModalities: ['text'],
  scores: {},
  endpoints,
  ...parts,
});

export const catalogOf = (...models: readonly Model[]): CatalogSnapshot => ({
  hash: 'hash-of-catalog',
  providers: new Map(models.flatMap(({ endpoints }) => endpoints.map((one) => [one.provider.slug, one.provider]))),
  models: new Map(models.map((one) => [one.id, one])),
  tools: {},
  plugins: {},
});

export const needsOf = (models: readonly Model[], parts: Partial<RouteNeeds> = {}): RouteNeeds => ({
  requested: models[0]!.id,
  models: models.map(({ id }) => ({ id })),
  movesOnRefusal: false,
  preferences: {},
  parameters: [],
  modalities: [],
  promptTokensMin: 0,
  tier: 'standard',
  ...parts,
});

const keyOf = ({ model: id, tag, credential }: HealthKey): string => `${id} ${tag} ${credential}`;

/** Health by `tag`, or by `tag credential`. */
export function healthOf(figures: Readonly<Record<string, Partial<EndpointHealth>>>): RouteInputs['health'] {
  return {
    find: (key) => {
      const found = figures[keyOf(key)] ?? figures[`${key.tag} ${key.credential}`] ?? figures[key.tag];
      return found && { isOut: false, ...found };
    },
  };
}

export const credential = (id: string, slug: string, parts: Partial<StoredCredential> = {}): StoredCredential => ({
  id,
  provider: slug,
  isFallback: false,
  sortOrder: 0,
  ...parts,
});

type InputParts = Partial<Omit<RouteInputs, 'needs'>> & { readonly needs?: Partial<RouteNeeds> };

export const inputsOf = (models: readonly Model[], { needs, ...parts }: InputParts = {}): RouteInputs => ({
  needs: needsOf(models, needs),
  catalog: catalogOf(...models),
  health: healthOf({}),
  credentials: [],
  offersSharedCredential: () => true,
  policies: [],
  seed: 'seed',
  ...parts,
});

/** The plan; a test with an unknown first model handles that itself. */
export function plan(models: readonly Model[], parts: InputParts = {}): Plan {
  const made = planRoute(inputsOf(models, parts));
  if (!made) throw new Error('the first model is not in the catalog');
  return made;
}

/** Tags of the legs in order; `tag@credential` where the credential is the caller's own. */
export const tagsOf = ({ legs }: Plan): readonly string[] =>
  legs.map(({ tag, credential: id }) => (id === 'shared' ? tag : `${tag}@${id}`));

/** Tag → reason. */
export const reasonsOf = ({ excluded }: Plan): Readonly<Record<string, string>> =>
  Object.fromEntries(excluded.map(({ model: id, tag, reason }) => [tag ?? id, reason]));

/**
 * Whole numbers from 0 to below `bound`, always the same for one seed: a linear congruence, of which the high bits are
 * used.
 */
export function numbers(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
