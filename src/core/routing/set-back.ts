import type { EndpointHealth, Percentiles } from './health.js';
import type { PlannedLeg } from './plan.js';
import type { PercentileCutoffs, ProviderPreferences } from './preferences.js';

/** Behind what is not set back at all. */
export const SET_BACK_RANK: Readonly<Record<NonNullable<PlannedLeg['setBack']>, number>> = { preference: 1, outage: 2 };

/**
 * Why a leg goes behind the others although it is kept (WIRE 1.12, 3.1). What is not known counts as good. A list that
 * the caller had sorted is tried in its order, whatever is out; the caller's own cut-offs still count.
 */
export function findSetBack(
  isSorted: boolean,
  health: EndpointHealth | undefined,
  { preferredMaxLatency, preferredMinThroughput }: ProviderPreferences,
): PlannedLeg['setBack'] {
  if (!health) return undefined;
  if (health.isOut && !isSorted) return 'outage';
  return misses(preferredMaxLatency, health.latency, 1) || misses(preferredMinThroughput, health.throughput, -1)
    ? 'preference'
    : undefined;
}

const CUTOFFS = ['p50', 'p75', 'p90', 'p99'] as const;

/** @param sign 1: figures must not be above their cut-offs; -1: not below */
function misses(cutoffs: PercentileCutoffs | undefined, figures: Percentiles | undefined, sign: 1 | -1): boolean {
  if (!cutoffs || !figures) return false;
  for (const name of CUTOFFS) {
    const cutoff = cutoffs[name];
    if (cutoff !== undefined && sign * (figures[name] - cutoff) > 0) return true;
  }
  return false;
}
