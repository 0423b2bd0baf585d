import { FAULT_KINDS } from '../core/errors.js';
import { FAILURES_IN_A_ROW_MIN, type EndpointCondition } from '../endpoint-health/endpoint-record.js';
import type { ProviderFigures } from '../endpoint-health/provider-record.js';
import {
  described,
  integer,
  moment,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type Static,
} from '../shared/http/schema.js';
import { latencyView, throughputView, uptimeView, viewLatency, viewThroughput, viewUptime } from './view-figures.js';

/** Number of endpoints of a provider in each condition. */
export type ConditionCounts = Readonly<Record<EndpointCondition, number>>;

const STATUSES = ['operational', 'degraded', 'down', 'unknown'] as const;

/** The health in the view of a provider, in addition to the catalog's data (docs/use/models.md#a-provider). */
export const providerHealthView = {
  status: described(
    'Of the endpoints that were called in the last half hour. Five failed calls in a row are never `operational`.',
    oneOf(STATUSES),
  ),
  endpoints: described(
    'Number of endpoints, each in every tier, by their state.',
    object({ operational: integer(), rate_limited: integer(), failing: integer(), unknown: integer() }),
  ),
  uptime_last_30m: uptimeView,
  latency_last_30m: latencyView,
  throughput_last_30m: throughputView,
  last_fault: described(
    'Of the last day, at any replica. Null: none.',
    nullable(
      object({
        at: moment(),
        kind: oneOf(FAULT_KINDS),
        status: optional(described('HTTP status of its answer. Absent: none came.', integer())),
        model: text(),
      }),
    ),
  ),
};
const viewed = object(providerHealthView);
export type ProviderHealthView = Static<typeof viewed>;

export function viewProviderHealth(counts: ConditionCounts, figures: ProviderFigures): ProviderHealthView {
  const { latency, throughput, last30m, lastFault, failuresInARow = 0 } = figures;
  return {
    status: statusOf(counts, failuresInARow >= FAILURES_IN_A_ROW_MIN),
    endpoints: {
      operational: counts.operational,
      rate_limited: counts['rate-limited'],
      failing: counts.failing,
      unknown: counts.unknown,
    },
    uptime_last_30m: viewUptime(last30m),
    latency_last_30m: viewLatency(latency),
    throughput_last_30m: viewThroughput(throughput),
    last_fault: lastFault ? { ...lastFault, at: new Date(lastFault.at).toISOString() } : null,
  };
}

/**
 * Endpoints of unknown health do not count: most of a large catalog are rarely called.
 * @param failsAlways its last calls all failed, even if at different endpoints
 */
function statusOf(counts: ConditionCounts, failsAlways: boolean): ProviderHealthView['status'] {
  const isWell = counts.operational > 0;
  const isLimited = counts['rate-limited'] > 0;
  const isFailing = counts.failing > 0 || failsAlways;
  if (!isFailing && !isLimited) return isWell ? 'operational' : 'unknown';
  return isWell || isLimited ? 'degraded' : 'down';
}
