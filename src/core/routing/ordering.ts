import type { Kept } from './candidates.js';
import { drawKey, drawWeight } from './draw.js';
import { comparedPrice } from './leg-price.js';
import { MODELS_MAX, type Exclusion, type Ordering, type PlannedLeg, type ServiceTier } from './plan.js';
import type { NamedModel, RouteInputs } from './route-inputs.js';
import type { Rules } from './rules.js';
import { findSetBack, SET_BACK_RANK } from './set-back.js';
import { findSlug } from './slug.js';
import { FIGURES, type Figures } from './sort-figures.js';

/** A leg with all that decides its place. Compared from top to bottom; lower goes first. */
interface Ranked {
  readonly leg: PlannedLeg;
  /** 0 where all models are sorted together. */
  model: number;
  readonly group: number;
  readonly setBack: number;
  readonly tier: number;
  readonly pin: number;
  /** Place in `order`. */
  readonly listed: number;
  readonly figure: number;
  readonly secondFigure: number;
  readonly credentialPlace: number;
}

/** How the legs of one model are ordered. */
export interface ModelOrdering {
  readonly ordering: Ordering;
  /** Absent where the order is not by a `sort`. */
  readonly figures?: Figures;
  /** Tag of the endpoint the session is bound to. */
  readonly pin?: string;
}

/** How the legs of one plan are ordered. */
export interface OrderingRules {
  /** What draws are made from. */
  readonly seed: string;
  /** By place of the model in the plan. */
  readonly models: readonly ModelOrdering[];
}

/**
 * `order` switches sorting, sessions and pins off; `sort` switches the draw off (WIRE 3.1, 3.2). A model's own suffix
 * sorts that model; where all are sorted together there is one way: the request's, else the first suffix.
 */
export function readOrdering(
  rules: Rules,
  models: readonly NamedModel[],
  { session, seed }: RouteInputs,
): OrderingRules {
  if (rules.order.length > 0) return { seed, models: models.map(() => ({ ordering: 'order' })) };
  const { sort, partition } = rules.needs.preferences;
  const common = partition === 'none' ? (sort ?? models.find((model) => model.sort)?.sort) : undefined;
  return {
    seed: session?.key ?? seed,
    models: models.map((model) => {
      const by = partition === 'none' ? common : (model.sort ?? sort);
      const pin = session?.pinOf(model.id);
      return {
        ordering: by ?? (session?.key === undefined ? 'draw' : 'session'),
        ...(by && { figures: FIGURES[by] }),
        ...(pin !== undefined && { pin }),
      };
    }),
  };
}

/**
 * Puts the kept legs in the order in which they are tried. Within a model (or all of them, `partition: none`):
 * credentials by WIRE 3.7, then what is set back, then the tier that was asked for, the session's pin, `order`, and at
 * last `sort` or the draw.
 */
export function orderLegs(
  kept: readonly Kept[],
  rules: Rules,
  orderings: OrderingRules,
  excluded: Exclusion[],
): readonly PlannedLeg[] {
  const ranked = kept.map((one) => rank(one, rules, orderings));
  if (ranked.length > 1) {
    ranked.sort(compare);
    if (rules.needs.preferences.partition !== 'none' && setModelsBack(ranked)) ranked.sort(compare);
  }
  return rules.onlyFirst ? firstOfEach(ranked, excluded) : ranked.map(({ leg }) => leg);
}

/**
 * A model whose endpoints miss the caller's cut-offs goes behind those that have one that keeps to them (WIRE 1.12). Its first leg tells:
 * one that keeps to them would stand before it.
 * @returns whether any model was moved
 */
function setModelsBack(sorted: readonly Ranked[]): boolean {
  let keeping = 0;
  let missing = 0;
  for (const { leg } of sorted) {
    const model = 1 << leg.modelIndex;
    if (((keeping | missing) & model) !== 0) continue;
    if (leg.setBack === 'preference') missing |= model;
    else keeping |= model;
  }
  if (missing === 0 || keeping === 0) return false;
  for (const one of sorted) if ((missing & (1 << one.leg.modelIndex)) !== 0) one.model += MODELS_MAX;
  return true;
}

const LISTED_NOT = Number.MAX_SAFE_INTEGER;

function rank(kept: Kept, rules: Rules, { seed, models }: OrderingRules): Ranked {
  const { candidate, credential, health, placedBy } = kept;
  const { model, modelIndex, endpoint, tier, tag } = candidate;
  const { needs, order } = rules;
  const { figures, pin } = models[modelIndex]!;
  const place = order.length > 0 ? findSlug(order, candidate) : -1;
  const isListed = place !== -1;
  const isDrawn = !isListed && figures === undefined;
  const isPinned = pin === tag && health?.isOut !== true;
  const setBack = isListed || isPinned ? undefined : findSetBack(figures !== undefined, health, needs.preferences);
  const price = comparedPrice(endpoint.pricing, tier, needs.promptTokensMin);
  const weight = isDrawn ? drawWeight(price) : undefined;
  // Written to rather than spread together: this runs for every leg of every request.
  const leg: Written<PlannedLeg> = { model, endpoint, tier, tag, credential: credential.id, modelIndex, price };
  if (weight !== undefined) leg.weight = weight;
  if (setBack) leg.setBack = setBack;
  if (isPinned) leg.isPinned = true;
  if (health) leg.health = health;
  return {
    leg,
    model: needs.preferences.partition === 'none' ? 0 : modelIndex,
    group: credential.group,
    setBack: setBack ? SET_BACK_RANK[setBack] : 0,
    tier: TIER_RANK[needs.tier][tier],
    pin: isPinned ? 0 : 1,
    listed: isListed ? place : LISTED_NOT,
    figure: isDrawn ? drawKey(seed, model.id, tag, price) : (figures?.first(endpoint, placedBy) ?? 0),
    secondFigure: figures?.second?.(placedBy) ?? 0,
    credentialPlace: credential.place,
  };
}

type Written<T> = { -readonly [Key in keyof T]: T[Key] };

function compare(one: Ranked, other: Ranked): number {
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
    one.credentialPlace - other.credentialPlace
  );
}

/** Unknown figures are infinite, and their difference would be no number. */
const difference = (one: number, other: number): number => (one === other ? 0 : one - other);

const compareText = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** WIRE 3.6: the tier that was asked for, then its other name, then the rest. */
const TIER_RANK: Readonly<Record<ServiceTier, Readonly<Record<ServiceTier, number>>>> = {
  standard: { standard: 0, fast: 0, priority: 0, flex: 0 },
  fast: { fast: 0, priority: 1, standard: 2, flex: 2 },
  priority: { priority: 0, fast: 1, standard: 2, flex: 2 },
  flex: { standard: 0, fast: 0, priority: 0, flex: 0 },
};

/** `allow_fallbacks: false` alone. Per model: the list of models is the caller's own, and no fallback of ours. */
function firstOfEach(ranked: readonly Ranked[], excluded: Exclusion[]): readonly PlannedLeg[] {
  const models = new Set<number>();
  return ranked.flatMap(({ leg }) => {
    if (!models.has(leg.modelIndex)) {
      models.add(leg.modelIndex);
      return [leg];
    }
    const { model, tag, endpoint, credential } = leg;
    excluded.push({ model: model.id, tag, provider: endpoint.provider.name, credential, reason: 'not-first' });
    return [];
  });
}
