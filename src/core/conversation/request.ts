import type { Effort } from './effort.js';
import type { JsonObject, Json, Opaque } from '../json/json.js';
import type { ProviderPreferences } from '../routing/preferences.js';
import type { CacheMarker, Message, Origin, TextBlock } from './content.js';
import type { ParsedFile } from './parsed-file.js';
import type { Tool, ToolChoice } from './tools.js';

/** How random the answer is, and what is counted. An absent field was not said; the provider's default holds. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly topA?: number;
  readonly minP?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly repetitionPenalty?: number;
  readonly seed?: number;
  readonly logitBias?: Readonly<Record<string, number>>;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
}

export const VERBOSITIES = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
/** How much the model says. */
export type Verbosity = (typeof VERBOSITIES)[number];

/** Whether and how the model reasons before it answers. */
export type Thinking = { readonly origin?: Origin } & (
  | { readonly type: 'enabled'; readonly budgetTokens: number; readonly display?: string }
  | { readonly type: 'disabled' }
  | { readonly type: 'adaptive'; readonly display?: string }
);

/** The form the answer's text must take. */
export type OutputFormat =
  | { readonly type: 'json-object' }
  | {
      readonly type: 'json-schema';
      readonly schema: JsonObject;
      readonly name?: string;
      /** What the answer is for, in words for the model. */
      readonly description?: string;
      readonly strict?: boolean;
    };

/** What an answer may be made of. */
export type OutputModality = 'text' | 'image';

/** An advisory countdown for an agentic turn, in tokens. */
export interface TaskBudget {
  readonly totalTokens: number;
  readonly remainingTokens?: number;
}

/** One plugin entry as the caller gave it: `id` and its options. */
export type PluginEntry = JsonObject & { readonly id: string };

/** Any condition that fires ends the loop of tools the gateway runs. */
export type StopCondition =
  | { readonly type: 'step-count'; readonly stepCount: number }
  | { readonly type: 'tool-call'; readonly toolName: string }
  | { readonly type: 'tokens-used'; readonly maxTokens: number }
  | { readonly type: 'cost'; readonly maxUsd: number }
  | { readonly type: 'finish-reason'; readonly reason: string };

/**
 * One inference request in no vendor's words: what a face reads and a dialect encodes. Immutable; each attempt is
 * encoded from it afresh. What is `undefined` was not said, and is not sent.
 */
export interface ModelRequest {
  /** As the caller wrote it: an id of the catalog, with its suffixes. */
  readonly model: string;
  readonly system: readonly TextBlock[];
  readonly messages: readonly Message[];
  readonly stream: boolean;

  readonly maxOutputTokens?: number;
  /** The caller's name of that field; absent: `max_tokens`. */
  readonly maxOutputTokensField?: 'max_completion_tokens';
  readonly sampling: Sampling;
  readonly stopSequences?: readonly string[];

  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** False: at most one tool call a turn. */
  readonly parallelToolCalls?: boolean;

  readonly thinking?: Thinking;
  readonly effort?: Effort;
  /** How much of a summary of its reasoning is wanted: a word of the chat format. */
  readonly reasoningSummary?: string;
  readonly verbosity?: Verbosity;
  readonly outputFormat?: OutputFormat;
  /** What the answer may be made of. Not said: whatever the model gives. */
  readonly modalities?: readonly OutputModality[];
  /** How pictures are to be, in the words of the chat format: `aspect_ratio`, `size`, `quality`. */
  readonly imageConfig?: JsonObject;
  readonly taskBudget?: TaskBudget;
  /** The wire object that effort, format and budget were read from; whoever changes one of them leaves it out. */
  readonly outputOrigin?: Origin;
  /** Marks the last cacheable block of the whole request. */
  readonly cacheMarker?: CacheMarker;
  readonly contextManagement?: Opaque;

  /** Groups requests for affinity and records; at most 256 characters. */
  readonly sessionId?: string;
  /** What requests with one beginning share, for the provider's cache of prompts: a word of the chat format. */
  readonly promptCacheKey?: string;
  /** The end user, for abuse reports; at most 256 characters. */
  readonly user?: string;
  /** The vendor's own metadata object, such as `{ user_id }`. */
  readonly metadata?: Opaque;
  readonly serviceTier?: string;
  readonly speed?: 'standard' | 'fast';
  /** Where the model is to run, in the vendor's words: `us`, `global`. */
  readonly inferenceGeo?: string;

  /** Tried in order after `model`. `onRefusal`: a refusal moves on as well (the wire's `fallbacks`). */
  readonly fallbackModels?: { readonly models: readonly string[]; readonly onRefusal: boolean };
  readonly preferences: ProviderPreferences;
  readonly plugins: readonly PluginEntry[];
  /** Files in words that earlier replies told, handed back. Absent: none. */
  readonly parsedFiles?: readonly ParsedFile[];
  readonly stopServerToolsWhen?: readonly StopCondition[];
  /** Uses of all tools of the gateway's together. Absent: as many as its steps come to. */
  readonly maxToolCalls?: number;
  /** Grouping keys for records and traces, open. */
  readonly trace?: { readonly [key: string]: Json | undefined };
  readonly preset?: string;
  /** The body that the provider who answers was sent is shown to the caller. */
  readonly echoesUpstreamBody?: boolean;

  /** Beta features of the vendor the caller asked for by header. */
  readonly betas: readonly string[];
  /** How many fusions it is part of, told to gateways upstream; absent: none. */
  readonly fusionDepth?: number;
  /**
   * Top-level fields that no face declares: they go to upstreams of the same format, as far as what is known of the
   * provider lets them, and nowhere else.
   */
  readonly extras?: Opaque;
}
