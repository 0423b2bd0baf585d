import type { Widening } from '../money/widening.js';

/**
 * Values that the given share of calls keeps to: nine of ten latencies are below `p90`, nine of ten throughputs are
 * above it.
 */
export interface Percentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

/**
 * A pause of an endpoint: nothing is sent to it before `until` while another leg is left, then one live request tries
 * it.
 */
export interface Cooling {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly by: 'rate-limit' | 'faults';
  /** The provider requested the pause: nothing is sent, even where nothing else is left. */
  readonly isFirm?: true;
}

/** The health of one endpoint under one credential at the time of planning. */
export interface EndpointHealth {
  /** Seconds to the first committing event, over the last five minutes. Absent: too few calls. */
  readonly latency?: Percentiles | undefined;
  /** Output tokens per second, over the last five minutes. Absent: too few calls. */
  readonly throughput?: Percentiles | undefined;
  /** Faults per call over the last five minutes, 0 to 1. Absent: no calls. */
  readonly faultShare?: number;
  /**
   * Whether the endpoint is out: at least three faults, and at least half of the calls, within the last 30 seconds. The
   * calls are those of all callers, or of this request's caller (docs/contribute/decisions/0041-cool-down-by-rate.md).
   */
  readonly isOut: boolean;
  /** Present during a pause, and while the one trial after it is under way. */
  readonly cooling?: Cooling;
  /**
   * Present while replies have recently exceeded their bounds: for at least two callers, or for this request's caller.
   */
  readonly widening?: Widening;
}

/**
 * The key under which figures are kept: one caller's bad credential must not affect an endpoint under another
 * credential.
 */
export interface HealthKey {
  /** Id of the model in the catalog. */
  readonly model: string;
  /** Tag of the leg: `provider`, `provider/variant`, with a tier `provider/priority`. */
  readonly tag: string;
  /** Id of the credential, `SHARED_CREDENTIAL` for the operator's own. */
  readonly credential: string;
  /** The three as one text, for look-ups; absent: built at each look-up. */
  readonly id?: string;
}

/** Models, tags and credentials contain no spaces. */
export const healthId = ({ model, tag, credential }: HealthKey): string => `${model} ${tag} ${credential}`;

export const healthKey = (model: string, tag: string, credential: string): HealthKey => ({
  model,
  tag,
  credential,
  id: `${model} ${tag} ${credential}`,
});

/** The state of all endpoints at one moment, for one caller's plan. */
export interface HealthSnapshot {
  /** Undefined: unknown, which counts as healthy. */
  find(key: HealthKey): EndpointHealth | undefined;
}
