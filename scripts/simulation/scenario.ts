import type { PluginEntry } from '../../src/core/conversation/request.js';
import type { FaultKind } from '../../src/core/errors.js';
import type { Pricing } from '../../src/core/routing/catalog.js';
import type { ProviderPreferences } from '../../src/core/routing/preferences.js';
import type { RoutingPolicy } from '../../src/core/routing/route-inputs.js';
import type { SlugPattern } from '../../src/core/routing/slug.js';
import type { RequestField } from '../../src/core/translation.js';
import type { PromptClass } from '../../src/plugins/auto-router/prompt-class.js';
import type { Environment } from '../../src/shared/environment.js';

/** A range of uniformly drawn numbers, inclusive. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The relative number of starts at a time of day; linear between two points. */
export interface LoadPoint {
  /** Since midnight. */
  readonly atMs: number;
  readonly weight: number;
}

/**
 * Means by which the gateway identifies a session: the id that the caller sends, the beginning of the conversation, or
 * none.
 */
export const AFFINITIES = ['id', 'content', 'none'] as const;
export type Affinity = (typeof AFFINITIES)[number];

/** A prompt with its author's classification (test/plugins/prompts/GUIDE.md). */
export interface LabelledPrompt extends PromptClass {
  readonly text: string;
  /** The request offers tools. */
  readonly tools?: true;
}

/** One kind of session in the day's mix. */
export interface TrafficKind {
  readonly name: string;
  /** Share of this kind in all sessions, relative to the other kinds. */
  readonly weight: number;
  /** The model of the requests, including suffixes such as `:nitro`. */
  readonly model: string;
  readonly fallbacks: readonly string[];
  readonly affinity: Affinity;
  readonly turns: Range;
  /** Between the end of an answer and the next turn. */
  readonly pauseMs: Range;
  /** The prompt tokens of the first turn. */
  readonly promptTokens: Range;
  /** Growth of the prompt with each further turn. */
  readonly growthTokens: Range;
  readonly answerTokens: Range;
  /** The share of an earlier prompt of the session that a provider with it in its cache reads from there, 0 to 1. */
  readonly cachedShare: number;
  /** Request fields that are set, as endpoints list them. */
  readonly parameters: readonly RequestField[];
  readonly maxOutputTokens?: number;
  readonly preferences: ProviderPreferences;
  /** Options of plugins, where `model` is a router's name. */
  readonly plugins: readonly PluginEntry[];
  /** Each session has one of them. Absent: the content does not matter. */
  readonly prompts?: readonly LabelledPrompt[];
}

/** The endpoints that a rule covers. Absent: all. */
export interface Scope {
  /** A slug covers all variants and tiers of a provider, `slug/variant` is one endpoint. */
  readonly provider?: SlugPattern;
  /** Id in the catalog. */
  readonly model?: string;
}

/** The behaviour of endpoints. Absent fields keep the values of earlier rules. */
export interface WorldRule extends Scope {
  /** Start (inclusive) and end (exclusive); since midnight. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Median. */
  readonly firstTokenMs?: number;
  readonly tokensPerSecond?: number;
  /** Standard deviation of the logarithm of either: 0 always gives the median, 1 varies widely. */
  readonly spread?: number;
  /** Final factor of the time to the first token, growing linearly while the rule is in force. */
  readonly drift?: number;
  readonly faults?: Faults;
}

export interface Faults {
  /** Share of the calls that fail in each way. */
  readonly shares: readonly (readonly [FaultKind, number])[];
  /** The retry hint of these faults. */
  readonly retryAfterMs?: number;
}

export interface PriceChange extends Scope {
  /** Since midnight. */
  readonly atMs: number;
  readonly pricing: Pricing;
}

/** The operator's settings. */
export interface Policy {
  /** Cool-down and time-outs. */
  readonly environment: Environment;
  /** Providers the operator can call. Absent: all of the catalog. */
  readonly credentials?: readonly SlugPattern[];
  /** The policy of the account. */
  readonly account: RoutingPolicy;
}

/** A day to be simulated. The same scenario and catalog give the same result, byte for byte. */
export interface Scenario {
  readonly seed: string;
  /** Number of planned requests. */
  readonly decisions: number;
  /** Points in ascending time. */
  readonly load: readonly LoadPoint[];
  readonly traffic: readonly TrafficKind[];
  readonly world: readonly WorldRule[];
  /** Changes in ascending time. */
  readonly prices: readonly PriceChange[];
  readonly policy: Policy;
}
