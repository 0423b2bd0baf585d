import type { Candidate } from './candidate.js';
import type { EligibleCandidate } from './candidates.js';
import { drawKey } from './draw.js';
import type { EndpointHealth, Percentiles } from './health.js';
import { comparedPrice, type ComparedSize } from './leg-price.js';
import { MODELS_MAX, type Exclusion, type Ordering, type PlannedLeg, type ServiceTier } from './plan.js';
import type { PercentileCutoffs, ProviderPreferences } from './preferences.js';
import type { NamedModel, RouteInputs, RouteNeeds } from './route-inputs.js';
import { refusesKeepingOf, type Rules } from './rules.js';
import { findSlug } from './slug.js';
import { FIGURES, type Figures } from './sort-figures.js';

/** A leg with all criteria of its rank. Compared from top to bottom; lower goes first. */
interface RankedLeg {
  readonly leg: PlannedLeg;
  /** 0 where all models are sorted together. */
  model: number;
  readonly group: number;
  readonly setBack: number;
  readonly tier: number;
  readonly pin: number;
  /** Index in `order`. */
  readonly listed: number;
  readonly figure: number;
  readonly secondFigure: number;
  readonly credentialIndex: number;
}

/** The order of the legs of one model. */
export interface ModelOrdering {
  readonly ordering: Ordering;
  /** Absent where the order is not by a `sort`. */
  readonly figures?: Figures | undefined;
  /** Tag of the endpoint the session is bound to. */
  readonly pin?: string | undefined;
}

/** The order of the legs of one plan. */
export interface OrderingRules {
  /** Seed of the draws. */
  readonly seed: string;
  /** Orderings by index of the model in the plan. */
  readonly models: readonly ModelOrdering[];
}

const AS_LISTED: ModelOrdering = { ordering: 'order' };
const DRAWN: ModelOrdering = { ordering: 'draw' };
const BY_SESSION: ModelOrdering = { ordering: 'session' };

/**
 * `order` switches sorting, sessions and pins off; `sort` switches the draw off
 * (docs/use/choosing-providers.md#default-order, docs/use/choosing-providers.md#provider-preferences). A model's own
 * suffix sorts that model; where all are sorted together there is one sort: the request's, else the first suffix.
 */
export function readOrdering(
  rules: Rules,
  models: readonly NamedModel[],
  { session, seed }: RouteInputs,
): OrderingRules {
  if (rules.order.length > 0) return { seed, models: models.map(() => AS_LISTED) };
  const { sort, partition } = rules.preferences;
  const common = partition === 'none' ? (sort ?? models.find((model) => model.sort)?.sort) : undefined;
  const orderings: ModelOrdering[] = [];
  for (const { id, sort: own } of models) {
    const by = partition === 'none' ? common : (own ?? sort);
    const pin = session?.pinOf(id);
    const unsorted = session?.key === undefined ? DRAWN : BY_SESSION;
    if (by === undefined && pin === undefined) orderings.push(unsorted);
    else orderings.push({ ordering: by ?? unsorted.ordering, figures: by && FIGURES[by], pin });
  }
  return { seed: session?.key ?? seed, models: orderings };
}

/**
 * Sorts the kept legs into the order in which they are tried. Within a model (or across all, `partition: none`):
 * credentials by docs/operate/byok.md#order-of-use, then whether the leg is set back, the requested tier, the session's
 * pin, `order`, and last `sort` or the draw.
 */
export function orderLegs(
  kept: readonly EligibleCandidate[],
  rules: Rules,
  needs: RouteNeeds,
  orderings: OrderingRules,
  excluded: Exclusion[],
): readonly PlannedLeg[] {
  const legs: PlannedLeg[] = [];
  for (const candidate of kept) legs.push(plannedLeg(candidate, rules, needs, orderings.models[candidate.modelIndex]!));
  if (legs.length < 2) return legs;
  const ranked: RankedLeg[] = [];
  for (let index = 0; index < legs.length; index++)
    ranked.push(rank(legs[index]!, kept[index]!, rules, needs, orderings));
  ranked.sort(compare);
  if (rules.preferences.partition !== 'none' && setModelsBack(ranked)) ranked.sort(compare);
  if (rules.onlyFirst) return firstOfEach(ranked, excluded);
  for (let index = 0; index < legs.length; index++) legs[index] = ranked[index]!.leg;
  return legs;
}

/**
 * Orders a model whose endpoints all miss the caller's cut-offs behind the models with an endpoint that meets them
 * (docs/use/choosing-providers.md#cut-offs). Its first leg decides: a leg that meets them would be ranked before it.
 * @returns whether any model was moved
 */
function setModelsBack(sorted: readonly RankedLeg[]): boolean {
  // Indexed by the model in the request.
  const keeps: boolean[] = [];
  for (const { leg } of sorted) keeps[leg.modelIndex] ??= leg.setBack !== 'preference';
  if (!keeps.includes(false) || !keeps.includes(true)) return false;
  for (const ranked of sorted) if (!keeps[ranked.leg.modelIndex]) ranked.model += MODELS_MAX;
  return true;
}

const LISTED_NOT = Number.MAX_SAFE_INTEGER;

/**
 * Prompt size used for the session's draw: a conversation that grows past a length with a separate price, or
 * gains an image, stays where its cache is.
 */
const ANY_TURN: ComparedSize = { promptTokensMin: 0 };

/** Creates a new leg for each plan: it holds the health of its endpoint at that time. */
function plannedLeg(
  { candidate, modelIndex, credential, healthKey, health }: EligibleCandidate,
  rules: Rules,
  needs: RouteNeeds,
  { ordering, figures, pin }: ModelOrdering,
): PlannedLeg {
  const { model, endpoint, tier, tag } = candidate;
  const isListed = rules.order.length > 0 && findSlug(rules.order, candidate) !== -1;
  const isPinned = pin === tag && health?.isOut !== true;
  const mayBeSetBack = health !== undefined && !isListed && !isPinned;
  const price = priceOf(candidate, needs);
  const drawnPrice = ordering === 'session' ? sessionPriceOf(candidate) : price;
  const isDrawn = !isListed && figures === undefined && drawnPrice > 0;
  const refusesKeeping =
    (rules.refusesCollection || rules.refusesRetention !== false) && refusesKeepingOf(rules, model.id);
  return {
    model,
    endpoint,
    tier,
    tag,
    credential: credential.id,
    credentialLabel: credential.label,
    modelIndex,
    price,
    weight: isDrawn ? 1 / (drawnPrice * drawnPrice) : undefined,
    setBack: mayBeSetBack ? reasonToSetBack(figures !== undefined, health, rules.preferences) : undefined,
    isPinned: isPinned || undefined,
    health,
    healthKey,
    refusesKeeping: refusesKeeping || undefined,
  };
}

/** Precomputed, unless the price depends on the content of the request. */
const priceOf = ({ flatPrice, endpoint, tier }: Candidate, needs: RouteNeeds): number =>
  flatPrice !== undefined && needs.images === undefined && needs.webSearches === undefined
    ? flatPrice
    : comparedPrice(endpoint.pricing, tier, needs);

const sessionPriceOf = ({ flatPrice, endpoint, tier }: Candidate): number =>
  flatPrice ?? comparedPrice(endpoint.pricing, tier, ANY_TURN);

/** The criteria of a leg that competes with others. */
function rank(
  leg: PlannedLeg,
  { candidate, credential, placedBy }: EligibleCandidate,
  { order, preferences }: Rules,
  { tier: wantedTier }: RouteNeeds,
  { seed, models }: OrderingRules,
): RankedLeg {
  const { model, modelIndex, endpoint, tier, tag, setBack } = leg;
  const { ordering, figures } = models[modelIndex]!;
  const index = order.length > 0 ? findSlug(order, candidate) : -1;
  const isListed = index !== -1;
  const isDrawn = !isListed && figures === undefined;
  const drawnPrice = ordering === 'session' ? sessionPriceOf(candidate) : leg.price;
  return {
    leg,
    model: preferences.partition === 'none' ? 0 : modelIndex,
    group: credential.group,
    setBack: setBack ? SET_BACK_RANK[setBack] : 0,
    tier: TIER_RANK[wantedTier][tier],
    pin: leg.isPinned ? 0 : 1,
    listed: isListed ? index : LISTED_NOT,
    figure: isDrawn ? drawKey(seed, model.id, tag, drawnPrice) : (figures?.first(endpoint, placedBy) ?? 0),
    secondFigure: figures?.second?.(placedBy) ?? 0,
    credentialIndex: credential.index,
  };
}

/** Legs that are not set back have rank 0. */
const SET_BACK_RANK: Readonly<Record<NonNullable<PlannedLeg['setBack']>, number>> = { preference: 1, outage: 2 };

/**
 * Why a kept leg goes behind the others (docs/use/choosing-providers.md#cut-offs,
 * docs/use/choosing-providers.md#default-order). Unknown figures count as good. A list ordered by the caller is tried
 * in its order even during outages; the caller's own cut-offs still count.
 */
function reasonToSetBack(
  isSorted: boolean,
  health: EndpointHealth,
  { preferredMaxLatency, preferredMinThroughput }: ProviderPreferences,
): PlannedLeg['setBack'] {
  if (health.isOut && !isSorted) return 'outage';
  // Figures are aggregated when read, so they are read only where a cut-off is set.
  if (preferredMaxLatency && misses(preferredMaxLatency, health.latency, 1)) return 'preference';
  if (preferredMinThroughput && misses(preferredMinThroughput, health.throughput, -1)) return 'preference';
  return undefined;
}

const CUTOFFS = ['p50', 'p75', 'p90', 'p99'] as const;

/** @param sign 1: figures must not be above their cut-offs; -1: not below */
function misses(cutoffs: PercentileCutoffs, figures: Percentiles | undefined, sign: 1 | -1): boolean {
  if (!figures) return false;
  for (const name of CUTOFFS) {
    const cutoff = cutoffs[name];
    if (cutoff !== undefined && sign * (figures[name] - cutoff) > 0) return true;
  }
  return false;
}

function compare(one: RankedLeg, other: RankedLeg): number {
  return (
    one.model - other.model ||
    one.group - other.group ||
    one.setBack - other.setBack ||
    one.tier - other.tier ||
    one.pin - other.pin ||
    one.listed - other.listed ||
    difference(one.figure, other.figure) ||
    one.secondFigure - other.secondFigure ||
    one.leg.price - other.leg.price ||
    compareText(one.leg.tag, other.leg.tag) ||
    one.leg.modelIndex - other.leg.modelIndex ||
    one.credentialIndex - other.credentialIndex
  );
}

/** Unknown figures are infinite, and their difference would be NaN. */
const difference = (one: number, other: number): number => (one === other ? 0 : one - other);

const compareText = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** docs/use/choosing-providers.md#service-tiers: the requested tier, then its other name, then the rest. */
const TIER_RANK: Readonly<Record<ServiceTier, Readonly<Record<ServiceTier, number>>>> = {
  standard: { standard: 0, fast: 0, priority: 0, flex: 0 },
  fast: { fast: 0, priority: 1, standard: 2, flex: 2 },
  priority: { priority: 0, fast: 1, standard: 2, flex: 2 },
  flex: { standard: 0, fast: 0, priority: 0, flex: 0 },
};

/**
 * Applies `allow_fallbacks: false` per model: the list of models comes from the caller and is not a fallback of the
 * gateway.
 */
function firstOfEach(ranked: readonly RankedLeg[], excluded: Exclusion[]): readonly PlannedLeg[] {
  const models = new Set<number>();
  return ranked.flatMap(({ leg }) => {
    if (!models.has(leg.modelIndex)) {
      models.add(leg.modelIndex);
      return [leg];
    }
    const { model, tag, endpoint, credential, health } = leg;
    const where = { model: model.id, tag, provider: endpoint.provider.name, credential };
    excluded.push({ ...where, reason: 'not-first', ...(health?.cooling && { cooling: health.cooling }) });
    return [];
  });
}
