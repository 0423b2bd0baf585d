import type { Widening } from '../money/widening.js';

/**
 * What so large a share of the calls keeps to: of latencies `p90` is what nine of ten stay below, of
 * throughputs what they reach.
 */
export interface Percentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

/**
 * A pause an endpoint is given: nothing is sent to it before `until` while anything else is left, then one live request
 * tries it.
 */
export interface Cooling {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly by: 'rate-limit' | 'faults';
  /** The provider asked for it: nothing is sent, also where nothing else is left. */
  readonly isFirm?: true;
}

/** What is known of one endpoint under one credential at the moment of planning. */
export interface EndpointHealth {
  /** Seconds to the first committing event, over the last five minutes. Absent: too few calls. */
  readonly latency?: Percentiles | undefined;
  /** Output tokens per second, over the last five minutes. Absent: too few calls. */
  readonly throughput?: Percentiles | undefined;
  /** Faults per call over the last five minutes, 0 to 1. Absent: no calls. */
  readonly faultShare?: number;
  /**
   * At least three faults, and at least half of the calls, within the last 30 seconds: of all callers, or of the one
   * that asks (docs/decisions/0041-cool-down-by-rate.md).
   */
  readonly isOut: boolean;
  /** Present while it is left alone, also while the one trial after a pause is under way. */
  readonly cooling?: Cooling;
  /** Present while replies have gone beyond their bounds of late: of two callers at least, or of the one that asks. */
  readonly widening?: Widening;
}

/** Which figures belong together: one caller's bad credential says nothing of an endpoint under another. */
export interface HealthKey {
  /** Id of the model in the catalog. */
  readonly model: string;
  /** Tag of the leg: `provider`, `provider/variant`, with a tier `provider/priority`. */
  readonly tag: string;
  /** Id of the credential, `SHARED_CREDENTIAL` for the operator's own. */
  readonly credential: string;
  /** The three as one text, by which figures are looked up; absent: it is made at each look-up. */
  readonly id?: string;
}

/** None of the three can hold a space. */
export const healthId = ({ model, tag, credential }: HealthKey): string => `${model} ${tag} ${credential}`;

export const healthKey = (model: string, tag: string, credential: string): HealthKey => ({
  model,
  tag,
  credential,
  id: `${model} ${tag} ${credential}`,
});

/** The state of all endpoints at one moment, for one caller's plan. */
export interface HealthSnapshot {
  /** Undefined: nothing is known, which counts as healthy. */
  find(key: HealthKey): EndpointHealth | undefined;
}
