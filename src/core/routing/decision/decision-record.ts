import type { TaskKind } from '../../conversation/task.js';
import type { MeasuredPrompt } from '../../money/measure-prompt.js';
import type { Modality } from '../catalog.js';
import type { Cooling } from '../health.js';
import type { ServiceTier } from '../plan.js';
import type { ProviderPreferences, Sort } from '../preferences.js';
import type { RequestField } from '../../translation.js';
import type { RouteNeeds, RoutingPolicy } from '../route-inputs.js';

/** 2: pauses requested by providers are distinguished, prices are compared with fees, parameters by dialects. */
export const DECISION_VERSION = 2;

/** The parts of a stored credential that matter for one request. */
export interface KeyRecord {
  readonly id: string;
  readonly provider: string;
  /** Absent: 0. */
  readonly order?: number | undefined;
  readonly fallback?: true | undefined;
  readonly replaces?: true | undefined;
  /** Indexes of the request's models that it may be used for; absent: all. */
  readonly models?: readonly number[] | undefined;
}

/**
 * The inputs and the outcome of one plan, as kept. A part is absent where it has its default. Candidates are written by
 * `writeRef`.
 */
export interface DecisionRecord {
  readonly v: number;
  /** The catalog, as named by `catalogName`. */
  readonly catalog: string;
  readonly seed?: string | undefined;
  readonly requested?: string | undefined;

  // The outcome, for readers: the plan is not recomputed from these two fields.
  /** The first legs in order. Absent where they follow from `firsts`. */
  readonly legs?: readonly string[] | undefined;
  /** The calls that were made, with their HTTP statuses. */
  readonly calls?: readonly (readonly [candidate: string, status: number])[] | undefined;

  // The request. Lists of providers hold only entries about the providers in question.
  /** Absent: the model that was requested. */
  readonly models?: readonly (string | readonly [id: string, sort: Sort])[] | undefined;
  /** The plugin that chose them, and the data it chose from. */
  readonly choice?: RouteNeeds['choice'] | undefined;
  readonly refusal?: true | undefined;
  readonly preferences?: ProviderPreferences | undefined;
  readonly parameters?: readonly RequestField[] | undefined;
  readonly modalities?: readonly Modality[] | undefined;
  /** Output modalities besides text. */
  readonly outputs?: readonly Modality[] | undefined;
  readonly task?: TaskKind | undefined;
  /** For each parameter, tier or region, the candidates that do not support it, where it was required. */
  readonly drops?: Readonly<Record<string, string>> | undefined;
  readonly prompt?: number | undefined;
  readonly output?: number | undefined;
  /** Context lengths that the request was shortened for. */
  readonly shortens?: RouteNeeds['shortensTo'] | undefined;
  readonly images?: number | undefined;
  readonly searches?: number | undefined;
  /** The sizes the bound was computed from, where a price was capped. */
  readonly measured?: MeasuredPrompt | undefined;
  readonly tier?: ServiceTier | undefined;
  /** Words with a separate price. */
  readonly words?: readonly (readonly [field: string, value: string])[] | undefined;
  /** Names of fields that no face declares, where all parameters were required. */
  readonly undeclared?: readonly string[] | undefined;

  // The caller.
  readonly policies?: readonly RoutingPolicy[] | undefined;
  readonly keys?: readonly KeyRecord[] | undefined;
  /** Slugs of the providers in question that the operator can call or, where that is shorter, cannot call. */
  readonly shared?: readonly string[] | undefined;
  readonly unshared?: readonly string[] | undefined;
  readonly session?: string | undefined;
  /** Index of the model → tag. */
  readonly pins?: Readonly<Record<string, string>> | undefined;

  // The health of the candidates, as far as it decided.
  readonly out?: readonly string[] | undefined;
  /** Candidates that missed a preferred figure. */
  readonly behind?: readonly string[] | undefined;
  readonly cooling?: Readonly<Record<string, Cooling['by']>> | undefined;
  /** Paused candidates whose provider requested the pause. */
  readonly firm?: readonly string[] | undefined;
  /** Median in seconds. Present when a model was sorted by it; a candidate without one was unknown. */
  readonly latency?: Readonly<Record<string, number>> | undefined;
  /** Median tokens per second. Present if a model was sorted by throughput. */
  readonly throughput?: Readonly<Record<string, number>> | undefined;
  /** Faults per call. Present if a model was sorted by faults. */
  readonly faults?: Readonly<Record<string, number>> | undefined;
  /**
   * Factors, in steps of 1/16, by which the bounds of candidates were widened after replies beyond them; the order does
   * not depend on them.
   */
  readonly widened?: Readonly<Record<string, readonly [input: number, output: number]>> | undefined;
  /**
   * The best leg of each model, where no fallback was allowed. The health of the others is not kept beyond the fact
   * that they came behind.
   */
  readonly firsts?: readonly string[] | undefined;

  /** Parts that were dropped because the record would have been too long. */
  readonly cut?: readonly (keyof DecisionRecord)[] | undefined;
}
