import type { MeasuredPrompt } from '../money/measure-prompt.js';
import type { Modality } from './catalog.js';
import type { Cooling } from './health.js';
import type { ServiceTier } from './plan.js';
import type { ProviderPreferences, Sort } from './preferences.js';
import type { RequestField } from '../translation.js';
import type { RouteNeeds, RoutingPolicy } from './route-inputs.js';

/** 2: pauses that providers asked for are told apart, prices are compared with fees, parameters by dialects. */
export const DECISION_VERSION = 2;

/** A stored credential as far as it matters for one request. */
export interface KeyRecord {
  readonly id: string;
  readonly provider: string;
  /** Absent: 0. */
  readonly order?: number | undefined;
  readonly fallback?: true | undefined;
  readonly replaces?: true | undefined;
  /** Indexes of those of the request's models that it may be used for; absent: all. */
  readonly models?: readonly number[] | undefined;
}

/**
 * What one plan was made from and what came of it, as it is kept. A part is absent where it holds its default.
 * Candidates are written as `writeRef` does.
 */
export interface DecisionRecord {
  readonly v: number;
  /** The catalog, as `catalogName` has it. */
  readonly catalog: string;
  readonly seed?: string | undefined;
  readonly requested?: string | undefined;

  // What came of it, for readers: nothing is derived from these two.
  /** The first legs in order. Absent where `firsts` says it. */
  readonly legs?: readonly string[] | undefined;
  /** The calls that were made, with their HTTP statuses. */
  readonly calls?: readonly (readonly [candidate: string, status: number])[] | undefined;

  // The request. Lists of providers hold only what speaks of providers in question.
  /** Absent: the model that was requested. */
  readonly models?: readonly (string | readonly [id: string, sort: Sort])[] | undefined;
  /** Which plugin chose them, and from what. */
  readonly choice?: RouteNeeds['choice'] | undefined;
  readonly refusal?: true | undefined;
  readonly preferences?: ProviderPreferences | undefined;
  readonly parameters?: readonly RequestField[] | undefined;
  readonly modalities?: readonly Modality[] | undefined;
  /** What the answer was to hold besides text. */
  readonly outputs?: readonly Modality[] | undefined;
  /** Candidates that do not take a parameter, where all were required, a tier or a place, and which of them. */
  readonly drops?: Readonly<Record<string, string>> | undefined;
  readonly prompt?: number | undefined;
  readonly output?: number | undefined;
  /** Contexts that the request was shortened for. */
  readonly shortens?: RouteNeeds['shortensTo'] | undefined;
  readonly images?: number | undefined;
  readonly searches?: number | undefined;
  /** What the bound was made from, where a price was capped. */
  readonly measured?: MeasuredPrompt | undefined;
  readonly tier?: ServiceTier | undefined;
  /** Words with a price of their own. */
  readonly words?: readonly (readonly [field: string, value: string])[] | undefined;
  /** Names of fields that no face declares, where all were required. */
  readonly undeclared?: readonly string[] | undefined;

  // Its caller.
  readonly policies?: readonly RoutingPolicy[] | undefined;
  readonly keys?: readonly KeyRecord[] | undefined;
  /** Slugs of the providers in question that the operator can call, or, where that is shorter, of those it cannot. */
  readonly shared?: readonly string[] | undefined;
  readonly unshared?: readonly string[] | undefined;
  readonly session?: string | undefined;
  /** Index of the model → tag. */
  readonly pins?: Readonly<Record<string, string>> | undefined;

  // The health of its candidates, as far as it decided.
  readonly out?: readonly string[] | undefined;
  /** Those that missed a preferred figure. */
  readonly behind?: readonly string[] | undefined;
  readonly cooling?: Readonly<Record<string, Cooling['by']>> | undefined;
  /** Those of them that their providers asked to be left alone. */
  readonly firm?: readonly string[] | undefined;
  /** Seconds, half of the calls. There when a model was sorted by it; a candidate without one was unknown. */
  readonly latency?: Readonly<Record<string, number>> | undefined;
  /** Tokens per second, likewise. */
  readonly throughput?: Readonly<Record<string, number>> | undefined;
  /** Faults per call, likewise. */
  readonly faults?: Readonly<Record<string, number>> | undefined;
  /** Bounds that what was learnt of a candidate widened, in steps of 1/16; nothing of the order depends on them. */
  readonly widened?: Readonly<Record<string, readonly [input: number, output: number]>> | undefined;
  /**
   * The best of each model, where no other was allowed. What was known of the others is not kept: that
   * they came behind is all.
   */
  readonly firsts?: readonly string[] | undefined;

  /** Parts that went because the record would have been too long. */
  readonly cut?: readonly (keyof DecisionRecord)[] | undefined;
}
