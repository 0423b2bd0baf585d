import type { PresetUse } from './preset-use.js';
import type { Effort } from './effort.js';
import type { JsonObject, Json, Opaque, Vendor } from '../json/json.js';
import type { ProviderPreferences } from '../routing/preferences.js';
import type { Tags } from '../tags.js';
import type { FieldNames } from './field-names.js';
import type { CacheMarker, Message, Origin, TextBlock } from './content.js';
import type { ParsedFile } from './parsed-file.js';
import type { Task } from './task.js';
import type { Tool, ToolChoice } from './tools.js';

/** Sampling parameters and what they count. An absent field was not set; the provider's default applies. */
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
/** The verbosity of the answer. */
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
      /** The purpose of the answer, as text for the model. */
      readonly description?: string;
      readonly strict?: boolean;
    };

/** The kinds of output that an answer may contain. */
export type OutputModality = 'text' | 'image';

/** An advisory countdown for an agentic turn, in tokens. */
export interface TaskBudget {
  readonly totalTokens: number;
  readonly remainingTokens?: number;
}

/** One plugin entry as the caller sent it: `id` and its options. */
export type PluginEntry = JsonObject & { readonly id: string };

/** Any condition that holds ends the loop of tools that this gateway runs. */
export type StopCondition =
  | { readonly type: 'step-count'; readonly stepCount: number }
  | { readonly type: 'tool-call'; readonly toolName: string }
  | { readonly type: 'tokens-used'; readonly maxTokens: number }
  | { readonly type: 'cost'; readonly maxUsd: number }
  | { readonly type: 'finish-reason'; readonly reason: string };

/**
 * One inference request in a vendor-neutral form: a face reads it and a dialect encodes it. Immutable; each attempt
 * encodes it anew. A field that is `undefined` was not set, and is not sent.
 */
export interface ModelRequest {
  /** The model's id in the catalog with its suffixes, unchanged from the request. */
  readonly model: string;
  readonly system: readonly TextBlock[];
  readonly messages: readonly Message[];
  /** The caller's names of fields, for errors; absent: those of the Messages format. */
  readonly fieldNames?: FieldNames;
  readonly stream: boolean;
  /** The task whose inputs the messages are; absent: the messages are a conversation, which the model answers. */
  readonly task?: Task;

  readonly maxOutputTokens?: number;
  readonly sampling: Sampling;
  readonly stopSequences?: readonly string[];

  readonly tools: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  /** False: at most one tool call a turn. */
  readonly parallelToolCalls?: boolean;

  readonly thinking?: Thinking;
  readonly effort?: Effort;
  /** Requested length of the reasoning summary (`reasoning.summary` of the chat format). */
  readonly reasoningSummary?: string;
  readonly verbosity?: Verbosity;
  readonly outputFormat?: OutputFormat;
  /** The kinds of output that the answer may contain. Absent: whatever the model emits. */
  readonly modalities?: readonly OutputModality[];
  /** Settings for pictures, by the names of the chat format: `aspect_ratio`, `size`, `quality`. */
  readonly imageConfig?: JsonObject;
  readonly taskBudget?: TaskBudget;
  /** The wire object that effort, format and budget were read from; code that changes one of them removes it. */
  readonly outputOrigin?: Origin;
  /** Marks the last cacheable block of the whole request. */
  readonly cacheMarker?: CacheMarker;
  readonly contextManagement?: Opaque;

  /** Groups requests for affinity and records; at most 256 characters. */
  readonly sessionId?: string;
  /** `prompt_cache_key` of the chat format: requests with a common beginning share it. */
  readonly promptCacheKey?: string;
  /** The end user, for abuse reports; at most 256 characters. */
  readonly user?: string;
  /** The vendor's own metadata object, such as `{ user_id }`. */
  readonly metadata?: Opaque;
  readonly serviceTier?: string;
  readonly speed?: 'standard' | 'fast';
  /** The location where the model has to run, as the vendor names it: `us`, `global`. */
  readonly inferenceGeo?: string;

  /**
   * Tried in order after `model`. `onRefusal`: the next model is also tried after a refusal (`fallbacks` of the
   * request).
   */
  readonly fallbackModels?: { readonly models: readonly string[]; readonly onRefusal: boolean };
  readonly preferences: ProviderPreferences;
  readonly plugins: readonly PluginEntry[];
  /** Files as text that earlier replies returned, sent back. Absent: none. */
  readonly parsedFiles?: readonly ParsedFile[];
  readonly stopServerToolsWhen?: readonly StopCondition[];
  /** Limit for the uses of all tools of the gateway together. Absent: the limit of steps alone applies. */
  readonly maxToolCalls?: number;
  /** Grouping keys for records and traces, open. */
  readonly trace?: { readonly [key: string]: Json | undefined };
  /** Labels for records and budgets, those of key and workspace included; absent: none. */
  readonly tags?: Tags;
  /** The preset that completed it; absent: none. */
  readonly preset?: PresetUse;
  /** The caller is shown the body that the answering provider received. */
  readonly echoesUpstreamBody?: boolean;

  /** Beta features of the vendor that the caller requested by header. */
  readonly betas: readonly string[];
  /** The number of fusions that it is nested in, sent to gateways upstream; absent: none. */
  readonly fusionDepth?: number;
  /**
   * Top-level fields that no face declares: they go to upstreams of the same format, unless the known properties of the
   * provider exclude them, and nowhere else.
   */
  readonly extras?: Opaque;
  /**
   * Members of nested objects that no face declares. Their values are in the wire objects (`Origin`) of what contains
   * them, where these are kept.
   */
  readonly undeclared?: UndeclaredMembers;
}

/** Undeclared members of a request in the format of a vendor. */
export interface UndeclaredMembers {
  readonly vendor: Vendor;
  readonly members: readonly UndeclaredMember[];
}

/** A member of a nested object that no face declares. */
export interface UndeclaredMember {
  /** Names on the path to the member, without indexes of lists: `messages`, `content`, `source`, `foo`. */
  readonly path: readonly string[];
  /** The `type` of the object that contains it, where that has one. */
  readonly of?: string;
  /** False: it is null wherever it occurs, which requests nothing. */
  readonly isSet: boolean;
  /** Length of all its values as JSON, in UTF-8 and in UTF-16: a model may read them. */
  readonly bytes: number;
  readonly units: number;
}
