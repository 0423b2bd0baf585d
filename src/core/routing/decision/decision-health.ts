import { sortsAnyBy, isSortedBy, type Figures } from './decision-figures.js';
import type { DecisionRecord } from './decision-record.js';
import { writeRef, type RefContext } from './decision.js';
import type { EndpointHealth, HealthKey, HealthSnapshot, Percentiles } from '../health.js';
import type { PercentileCutoffs } from '../preferences.js';
import type { RouteNeeds } from '../route-inputs.js';

/**
 * Health with the same effect as the recorded one. Figures that were not recorded become extremes on the same side of
 * every cut-off.
 */
export function deriveHealth(record: DecisionRecord, needs: RouteNeeds, context: RefContext): HealthSnapshot {
  const { preferredMaxLatency, preferredMinThroughput } = needs.preferences;
  const cooling = new Map(Object.entries(record.cooling ?? {}));
  const out = new Set(record.out);
  const behind = new Set(record.behind);
  const firsts = record.firsts && new Set(record.firsts);
  const latency = figureReader(record.latency, preferredMaxLatency, LATENCY);
  const throughput = figureReader(record.throughput, preferredMinThroughput, THROUGHPUT);
  const recordedFigures = (
    sort: 'latency' | 'throughput',
    { model }: HealthKey,
    candidate: string,
  ): Partial<EndpointHealth> => {
    const reader = sort === 'latency' ? latency : throughput;
    const figures = reader(candidate, behind.has(candidate), isSortedBy(needs, model, sort));
    return figures ? { [sort]: figures } : {};
  };
  const faults = new Map(Object.entries(record.faults ?? {}));
  const widened = new Map(Object.entries(record.widened ?? {}));
  const recordedWidening = (candidate: string): Pick<EndpointHealth, 'widening'> => {
    const factors = widened.get(candidate);
    return factors ? { widening: { input: factors[0], output: factors[1] } } : {};
  };
  const beaten = healthOfBeaten(needs);
  const firm = new Set(record.firm);
  const recordedCooling = (candidate: string): Pick<EndpointHealth, 'cooling'> => {
    const by = cooling.get(candidate);
    // No plan depends on when the pause ends.
    return by ? { cooling: { until: 0, by, ...(firm.has(candidate) && { isFirm: true }) } } : {};
  };
  return {
    find(key): EndpointHealth {
      const candidate = writeRef({ ...key, model: { id: key.model } }, context);
      if (firsts && !firsts.has(candidate)) return { ...beaten, ...recordedCooling(candidate) };
      const faultShare = faults.get(candidate);
      return {
        ...recordedCooling(candidate),
        ...recordedWidening(candidate),
        ...recordedFigures('latency', key, candidate),
        ...recordedFigures('throughput', key, candidate),
        ...(faultShare !== undefined && { faultShare }),
        isOut: out.has(candidate),
      };
    },
  };
}

/** Figures that meet every cut-off, and figures that miss every one. */
interface Extremes {
  readonly good: number;
  readonly bad: number;
}

const LATENCY: Extremes = { good: 0, bad: Number.MAX_VALUE };
const THROUGHPUT: Extremes = { good: Number.MAX_VALUE, bad: 0 };

type FigureReader = (candidate: string, isBehind: boolean, isSorted: boolean) => Percentiles | undefined;

/** A figure that was sorted by has its exact `p50` or was unknown; of others only the side of the cut-offs matters. */
function figureReader(kept: Figures, cutoffs: PercentileCutoffs | undefined, { good, bad }: Extremes): FigureReader {
  const figures = new Map(Object.entries(kept ?? {}));
  return (candidate, isBehind, isSorted) => {
    if (!isSorted) return isBehind && cutoffs ? all(bad) : undefined;
    const p50 = figures.get(candidate);
    return p50 === undefined ? undefined : { ...all(isBehind ? bad : good), p50 };
  };
}

/**
 * Health that sorts last, for candidates of which only this is recorded. Unknown figures come last in a sort but meet a
 * cut-off, so a sorted figure is made bad only where no other figure can miss.
 */
function healthOfBeaten(needs: RouteNeeds): EndpointHealth {
  const { preferredMaxLatency, preferredMinThroughput } = needs.preferences;
  const mayMissLatency = hasCutoff(preferredMaxLatency);
  const missesThroughput = hasCutoff(preferredMinThroughput) && (!sortsAnyBy(needs, 'throughput') || !mayMissLatency);
  return {
    isOut: true,
    faultShare: 1,
    ...(missesThroughput && { throughput: all(THROUGHPUT.bad) }),
    ...(mayMissLatency && !missesThroughput && { latency: all(LATENCY.bad) }),
  };
}

const hasCutoff = (cutoffs: PercentileCutoffs = {}): boolean => Object.keys(cutoffs).length > 0;

const all = (figure: number): Percentiles => ({ p50: figure, p75: figure, p90: figure, p99: figure });
