import type { PluginEntry } from '../../src/core/conversation/request.js';
import type { FaultKind } from '../../src/core/errors.js';
import type { Pricing } from '../../src/core/routing/catalog.js';
import type { ProviderPreferences } from '../../src/core/routing/preferences.js';
import type { RoutingPolicy } from '../../src/core/routing/route-inputs.js';
import type { SlugPattern } from '../../src/core/routing/slug.js';
import type { RequestField } from '../../src/core/translation.js';
import type { PromptClass } from '../../src/plugins/auto-router/prompt-class.js';
import type { Environment } from '../../src/shared/environment.js';

/** Numbers between which one is drawn, each as likely as the others; both ends included. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** How much begins at a time of day, beside other times; between two points it changes evenly. */
export interface LoadPoint {
  /** Since midnight. */
  readonly atMs: number;
  readonly weight: number;
}

/** How the gateway knows a session: by the id the caller sends, by how the conversation begins, or not at all. */
export const AFFINITIES = ['id', 'content', 'none'] as const;
export type Affinity = (typeof AFFINITIES)[number];

/** A prompt, and what its author says of it (test/plugins/prompts/GUIDE.md). */
export interface LabelledPrompt extends PromptClass {
  readonly text: string;
  /** The request offers tools. */
  readonly tools?: true;
}

/** One kind of session in the day's mix. */
export interface TrafficKind {
  readonly name: string;
  /** Its part in all sessions, beside the other kinds. */
  readonly weight: number;
  /** As a request names it, suffixes such as `:nitro` included. */
  readonly model: string;
  readonly fallbacks: readonly string[];
  readonly affinity: Affinity;
  readonly turns: Range;
  /** Between the end of an answer and the next turn. */
  readonly pauseMs: Range;
  /** Of the first turn. */
  readonly promptTokens: Range;
  /** What each further turn adds to the prompt. */
  readonly growthTokens: Range;
  readonly answerTokens: Range;
  /** How much of an earlier prompt of the session a provider that has seen it reads from its cache, 0 to 1. */
  readonly cachedShare: number;
  /** Request fields that are set, as endpoints list them. */
  readonly parameters: readonly RequestField[];
  readonly maxOutputTokens?: number;
  readonly preferences: ProviderPreferences;
  /** What plugins are asked, where `model` is a router's name. */
  readonly plugins: readonly PluginEntry[];
  /** Each session has one of them. Absent: what is said does not matter. */
  readonly prompts?: readonly LabelledPrompt[];
}

/** Which endpoints a rule speaks of. Absent: all. */
export interface Scope {
  /** A slug covers all variants and tiers of a provider, `slug/variant` is one endpoint. */
  readonly provider?: SlugPattern;
  /** Id in the catalog. */
  readonly model?: string;
}

/** How endpoints behave. What it does not say is as the rules before it say. */
export interface WorldRule extends Scope {
  /** In force from, and before; since midnight. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Median. */
  readonly firstTokenMs?: number;
  readonly tokensPerSecond?: number;
  /** Standard deviation of the logarithm of either: 0 is always the median, 1 is wild. */
  readonly spread?: number;
  /** The first token takes up to so many times as long, growing evenly while the rule is in force. */
  readonly drift?: number;
  readonly faults?: Faults;
}

export interface Faults {
  /** Share of the calls that fail in each way. */
  readonly shares: readonly (readonly [FaultKind, number])[];
  /** The hint that comes with them. */
  readonly retryAfterMs?: number;
}

export interface PriceChange extends Scope {
  /** Since midnight. */
  readonly atMs: number;
  readonly pricing: Pricing;
}

/** What the operator decides. */
export interface Policy {
  /** Cool-down and time-outs. */
  readonly environment: Environment;
  /** Providers the operator can call. Absent: all of the catalog. */
  readonly credentials?: readonly SlugPattern[];
  /** What the account allows. */
  readonly account: RoutingPolicy;
}

/** A day to be simulated. The same scenario and catalog give the same result, to the byte. */
export interface Scenario {
  readonly seed: string;
  /** How many requests are planned. */
  readonly decisions: number;
  /** By rising time. */
  readonly load: readonly LoadPoint[];
  readonly traffic: readonly TrafficKind[];
  readonly world: readonly WorldRule[];
  /** By rising time. */
  readonly prices: readonly PriceChange[];
  readonly policy: Policy;
}
