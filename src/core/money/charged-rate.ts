import type { Usage } from '../conversation/usage.js';
import { dialectOf, type DialectId } from '../routing/catalog.js';
import type { Leg, ServiceTier } from '../routing/plan.js';
import { isPlainTier } from '../routing/priced-words.js';
import type { PicoUsd } from './credits.js';
import { costOf, type Cost } from './pricing.js';

/** Which of an endpoint's price lists a reply is charged by. */
export type Rate = Pick<Leg, 'endpoint' | 'tier'>;

/** What one reply costs, and at which rate. */
export interface RatedCost {
  readonly cost: Cost;
  readonly rate: Rate;
  /** What the provider asks for the rate it reported beyond that of the plan; 0n where it asks for no more. */
  readonly beyondPlan: PicoUsd;
}

/** Dialects whose replies tell the speed apart from the tier: there a tier says nothing of the speed. */
const TELLS_SPEED: ReadonlySet<DialectId> = new Set(['anthropic-messages', 'simulated']);

/**
 * The cost by the tier, speed and place that the reply reports, at most by those that were planned: what a provider
 * grants unasked is not the caller's to pay, and what it did not grant he does not pay for
 * (docs/reasons/money.md#what-was-served). Where nothing is said, or nothing the catalog has a price for, the plan
 * holds.
 * @param images how many the request held, as `measurePrompt` counts them
 */
export function ratedCost(usage: Usage, planned: Rate, images = 0): RatedCost {
  const cost = costOf(usage, planned, images);
  const tier = reportedTier(usage, planned);
  const endpoint = reportedPlace(usage, planned);
  if (tier === planned.tier && endpoint === planned.endpoint) return { cost, rate: planned, beyondPlan: 0n };
  const reported = { endpoint, tier };
  const asked = costOf(usage, reported, images);
  return asked.total <= cost.total
    ? { cost: asked, rate: reported, beyondPlan: 0n }
    : { cost, rate: planned, beyondPlan: asked.total - cost.total };
}

/** What the provider asks, whoever pays: at the rate it reported, whatever was planned. */
export function askedCost(usage: Usage, planned: Rate, images = 0): PicoUsd {
  const { cost, beyondPlan } = ratedCost(usage, planned, images);
  return cost.total + beyondPlan;
}

const NAMED_TIERS: ReadonlySet<string> = new Set(['fast', 'priority', 'flex'] satisfies ServiceTier[]);

function reportedTier({ serviceTier, speed }: Usage, { endpoint, tier: planned }: Rate): ServiceTier {
  const named = speed === 'fast' ? speed : serviceTier;
  if (named !== undefined && NAMED_TIERS.has(named) && endpoint.pricing?.[named as 'fast'] !== undefined)
    return named as ServiceTier;
  // Whatever words a plain tier goes by, it was planned, as nearly always.
  if (speed === 'fast' || planned === 'standard') return planned;
  if (speed === 'standard' && planned === 'fast') return 'standard';
  const saysPlain = serviceTier !== undefined && isPlainTier(serviceTier);
  return saysPlain && !(planned === 'fast' && TELLS_SPEED.has(dialectOf(endpoint))) ? 'standard' : planned;
}

function reportedPlace({ inferenceGeo }: Usage, { endpoint }: Rate): Rate['endpoint'] {
  if (inferenceGeo === undefined || inferenceGeo === endpoint.geography?.word) return endpoint;
  const anywhere = endpoint.geography?.elsewhere ?? endpoint;
  return anywhere.geographies?.get(inferenceGeo) ?? anywhere;
}
