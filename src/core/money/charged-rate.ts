import type { Usage } from '../conversation/usage.js';
import { dialectOf, type DialectId } from '../routing/catalog.js';
import type { Leg, ServiceTier } from '../routing/plan.js';
import { isPlainTier } from '../routing/priced-options.js';
import type { PicoUsd } from './credits.js';
import { costOf, type Cost } from './pricing.js';

/** The price list of an endpoint that a reply is charged by. */
export type Rate = Pick<Leg, 'endpoint' | 'tier'>;

/** The cost of one reply, and its rate. */
export interface RatedCost {
  readonly cost: Cost;
  readonly rate: Rate;
  /** The provider's charge at the reported rate above the charge at the planned rate; 0n where it is not higher. */
  readonly beyondPlan: PicoUsd;
}

/** Dialects whose replies report the speed separately from the tier: there the tier implies nothing about the speed. */
const REPORTS_SPEED: ReadonlySet<DialectId> = new Set(['anthropic-messages', 'simulated']);

/**
 * The cost at the reported tier, speed and location, at most that of the planned ones: the caller does not pay for a
 * tier that was granted without a request, nor for one that was requested and not granted
 * (docs/contribute/reasons/money.md#what-was-served). Where nothing is reported, or nothing that the catalog has a
 * price for, the plan applies.
 * @param images the number of images of the request, as `measurePrompt` counts them
 */
export function ratedCost(usage: Usage, planned: Rate, images = 0): RatedCost {
  const cost = costOf(usage, planned, images);
  const tier = reportedTier(usage, planned);
  const endpoint = reportedRegion(usage, planned);
  if (tier === planned.tier && endpoint === planned.endpoint) return { cost, rate: planned, beyondPlan: 0n };
  const reported = { endpoint, tier };
  const reportedCost = costOf(usage, reported, images);
  return reportedCost.total <= cost.total
    ? { cost: reportedCost, rate: reported, beyondPlan: 0n }
    : { cost, rate: planned, beyondPlan: reportedCost.total - cost.total };
}

/**
 * The provider's charge at the rate that it reported, whatever rate was planned, and whether or not the caller pays it.
 */
export function providerCost(usage: Usage, planned: Rate, images = 0): PicoUsd {
  const { cost, beyondPlan } = ratedCost(usage, planned, images);
  return cost.total + beyondPlan;
}

const NAMED_TIERS: ReadonlySet<string> = new Set(['fast', 'priority', 'flex'] satisfies ServiceTier[]);

function reportedTier({ serviceTier, speed }: Usage, { endpoint, tier: planned }: Rate): ServiceTier {
  const named = speed === 'fast' ? speed : serviceTier;
  if (named !== undefined && NAMED_TIERS.has(named) && endpoint.pricing?.[named as 'fast'] !== undefined)
    return named as ServiceTier;
  // Standard tiers have many names; nearly always the standard tier was planned.
  if (speed === 'fast' || planned === 'standard') return planned;
  if (speed === 'standard' && planned === 'fast') return 'standard';
  const isPlain = serviceTier !== undefined && isPlainTier(serviceTier);
  return isPlain && !(planned === 'fast' && REPORTS_SPEED.has(dialectOf(endpoint))) ? 'standard' : planned;
}

function reportedRegion({ inferenceGeo }: Usage, { endpoint }: Rate): Rate['endpoint'] {
  if (inferenceGeo === undefined || inferenceGeo === endpoint.geography?.word) return endpoint;
  const anywhere = endpoint.geography?.elsewhere ?? endpoint;
  return anywhere.geographies?.get(inferenceGeo) ?? anywhere;
}
