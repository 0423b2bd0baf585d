import type { Percentiles } from '../core/routing/health.js';
import type { CallCounts } from '../endpoint-health/slice-ring.js';
import { described, nullable, number, object, type Static } from '../shared/http/schema.js';

const MS_PER_SECOND = 1000;
/** Figures come from buckets: more digits would pretend more precision. */
const FIGURE_DIGITS = 4;

const percentiles = object({ p50: number(), p75: number(), p90: number(), p99: number() });
type PercentilesView = Static<typeof percentiles>;

export const latencyView = described('In milliseconds.', nullable(percentiles));
export const throughputView = described('In tokens per second.', nullable(percentiles));
export const uptimeView = described('In percent, as seen by this process.', nullable(number()));

/** @param latency seconds */
export const viewLatency = (latency: Percentiles | undefined): PercentilesView | null =>
  viewPercentiles(latency, MS_PER_SECOND);

export const viewThroughput = (throughput: Percentiles | undefined): PercentilesView | null =>
  viewPercentiles(throughput, 1);

/** docs/use/models.md#an-endpoint: the share of calls that succeeded, in percent, rate limits left out. */
export const viewUptime = (counts: CallCounts | undefined): number | null =>
  counts && counts.calls > 0 ? round((1 - counts.faults / counts.calls) * 100) : null;

function viewPercentiles(percentiles: Percentiles | undefined, factor: number): PercentilesView | null {
  if (!percentiles) return null;
  const { p50, p75, p90, p99 } = percentiles;
  return { p50: round(p50 * factor), p75: round(p75 * factor), p90: round(p90 * factor), p99: round(p99 * factor) };
}

const round = (figure: number): number => Number(figure.toPrecision(FIGURE_DIGITS));
