import type { UnifiedStop } from './conversation/event.js';
import type { ModelRequest } from './conversation/request.js';
import type { FaultKind } from './errors.js';
import type { Json } from './json/json.js';

/*
 * The translation table of a dialect: its treatment of each part of a request or a reply. The rows are closed unions,
 * so that a dialect without a rule for one of them does not compile. Encoders, decoders, `require_parameters` and the
 * tables of docs/use/translation.md read the same rows (docs/contribute/decisions/0057).
 */

/** A field of a request, by its name in lists of endpoints, with its name in the tables. */
export const REQUEST_FIELDS = {
  model: '`model`',
  system: '`system`',
  stream: '`stream`',
  max_tokens: '`max_tokens`',
  temperature: '`temperature`',
  top_p: '`top_p`',
  top_k: '`top_k`',
  top_a: '`top_a`',
  min_p: '`min_p`',
  frequency_penalty: '`frequency_penalty`',
  presence_penalty: '`presence_penalty`',
  repetition_penalty: '`repetition_penalty`',
  seed: '`seed`',
  stop: '`stop_sequences`',
  logit_bias: '`logit_bias`',
  logprobs: '`logprobs`',
  top_logprobs: '`top_logprobs`',
  tools: '`tools`',
  tool_choice: '`tool_choice`',
  parallel_tool_calls: 'one call at a time',
  reasoning: '`thinking`',
  reasoning_effort: '`output_config.effort`',
  reasoning_summary: 'a summary of the reasoning',
  verbosity: '`verbosity`',
  structured_outputs: 'a format by schema',
  response_format: 'JSON without a schema',
  modalities: '`modalities`',
  image_config: '`image_config`',
  task_budget: '`task_budget`',
  context_management: '`context_management`',
  cache_control: '`cache_control` (top level)',
  user: '`user`',
  metadata: 'other `metadata`',
  prompt_cache_key: '`prompt_cache_key`',
  service_tier: '`service_tier`, `speed`',
  inference_geo: '`inference_geo`',
  betas: 'beta headers',
} as const;
export type RequestField = keyof typeof REQUEST_FIELDS;
export const REQUEST_FIELD_NAMES = Object.keys(REQUEST_FIELDS) as readonly RequestField[];

/** Fields whose values models restrict, beside a choice that forces a tool: without them a request needs no fitting. */
export const FITTED_FIELDS: ReadonlySet<RequestField> = new Set<RequestField>([
  'temperature', 'top_p', 'top_k', 'logprobs', 'top_logprobs', 'reasoning', 'reasoning_effort', 'verbosity',
]); // oxfmt-ignore

/** A block of a conversation, or a property of one, in every form that a face reads. */
export const BLOCK_FORMS = {
  text: '`text`',
  text_citations: 'citations of a text',
  phase: 'the phase of a text',
  image_bytes: 'image, bytes',
  image_url: 'image by URL',
  image_detail: '`detail` of an image',
  drawn_image: 'image in an assistant turn',
  document_bytes: 'document, bytes (PDF)',
  document_text_bytes: 'document, bytes of a text',
  document_url: 'document by URL',
  document_text: 'document, text',
  document_blocks: 'document, content',
  document_file: 'document, stored file',
  document_citations: 'requested citations of a document',
  search_result: '`search_result`',
  audio: 'audio',
  video_bytes: 'video, bytes',
  video_url: 'video by URL',
  tool_use: '`tool_use`',
  tool_result: '`tool_result`',
  tool_result_error: '`is_error` of a result',
  tool_result_image: 'image in a result',
  tool_result_document: 'PDF in a result',
  tool_reference: '`tool_reference`',
  thinking_own: "the provider's own reasoning",
  thinking_anthropic: "reasoning that Anthropic's models signed",
  thinking_other: 'reasoning of another vendor',
  thinking_unsigned: 'unsigned reasoning',
  sealed_own: "the provider's own encrypted reasoning",
  sealed_anthropic: "encrypted reasoning of Anthropic's models",
  sealed_other: 'encrypted reasoning of another vendor',
  server_tool_use: '`server_tool_use`, `mcp_tool_use`',
  web_search_tool_result: '`web_search_tool_result`',
  web_fetch_tool_result: '`web_fetch_tool_result`',
  server_tool_result: "results of Anthropic's other server tools",
  gateway_tool_result: "results of another gateway's tools",
  compaction: '`compaction`',
  other: '`container_upload` and any other block',
  own_item: "an item of the format's own",
  foreign_item: "an item of another format's own",
  cache_control: '`cache_control` of a block',
  tool_result_cache_control: '`cache_control` of, or in, a result',
  speaker: '`name` of a message (chat)',
} as const;
export type BlockForm = keyof typeof BLOCK_FORMS;

/** Parts of a request that concern tools. */
export const TOOL_FORMS = {
  function: 'a tool of the caller',
  strict: '`strict`',
  cache_control: '`cache_control` of a tool',
  own: "the format's own tools",
  foreign: "another vendor's tool that the gateway does not run",
  service: 'a tool of the gateway that it cannot run',
  choice_auto: 'choice `auto`',
  choice_any: 'choice `any`',
  choice_none: 'choice `none`',
  choice_tool: 'choice of one tool',
  choice_allowed: 'choice among some of the tools',
} as const;
export type ToolForm = keyof typeof TOOL_FORMS;

/** Parts of a reply. */
export const REPLY_FORMS = {
  text: 'text',
  refusal: 'words of a refusal',
  thinking: 'reasoning',
  signature: 'its signature',
  sealed: 'sealed reasoning',
  tool_call: 'a tool call',
  argument_pieces: 'pieces of its arguments',
  citations: 'citations',
  logprobs: 'probabilities of words',
  vendor_blocks: "what the vendor's own tools did",
  media: 'pictures, sounds',
} as const;
export type ReplyForm = keyof typeof REPLY_FORMS;

/** Figures of a reply about its usage, and facts about how the call was served. */
export const USAGE_CLASSES = {
  input: 'input, not cached',
  output: 'output',
  cache_read: 'read from a cache',
  cache_write: 'written to a cache',
  cache_write_1h: 'written for an hour',
  reasoning: 'reasoning, part of the output',
  image_output: 'pictures, part of the output',
  web_searches: 'searches',
  web_fetches: 'pages fetched',
  calls: 'calls within one reply',
  service_tier: 'the tier served',
  speed: 'the speed served',
  inference_geo: 'where it ran',
} as const;
export type UsageClass = keyof typeof USAGE_CLASSES;

/** The treatment of one part of a request or a reply, with its text in the tables. */
export type Treatment =
  | { readonly type: 'mapped'; readonly how: string }
  /** `why` may be empty where the format simply has no field for it. */
  | { readonly type: 'dropped'; readonly why: string }
  /** `what` cannot be sent to the target: the text of the refusal. `within` is its path inside the refused object. */
  | { readonly type: 'refused'; readonly what: string; readonly within: string };

/** A condition on a target, with its text in the tables. */
export interface Condition<Target> {
  readonly words: string;
  holds(target: Target): boolean;
}

/** The treatment of one part at every target of a dialect. */
export type Rule<Target, Treatments extends Treatment = Treatment> =
  | Treatments
  | {
      readonly type: 'depends';
      readonly on: Condition<Target>;
      readonly then: Rule<Target, Treatments>;
      readonly otherwise: Rule<Target, Treatments>;
    };

/** The treatment of a field. No field makes a request impossible to send. */
export type FieldRule<Target> = Rule<Target, Exclude<Treatment, { type: 'refused' }>>;

/** The position of a field that is one value of the request, independent of its other fields. */
export interface FieldLocation {
  /** The object of the body that contains it, such as `generationConfig`; empty: the body itself. */
  readonly within: string;
  readonly name: string;
  /** Undefined where the request does not set it. */
  readonly read: (request: ModelRequest) => Json | undefined;
  /**
   * Checks a request whose field is sent.
   * @throws Untranslatable for a value that the format does not hold
   */
  readonly assertFits?: (request: ModelRequest) => void;
}

export interface FieldRow<Target> {
  readonly rule: FieldRule<Target>;
  /** Absent: it is encoded with more of the request. */
  readonly location?: FieldLocation;
}

/** The treatment of one part of a reply. `absent`: the format has no field for it. */
export type ReplyRule = Exclude<Treatment, { type: 'refused' }> | { readonly type: 'absent' };

export interface UsageRow {
  readonly rule: ReplyRule;
  /**
   * Paths of the number in the vendor's usage object: `a` or `a.b`, the first that exists. Absent: it is read with more
   * of the reply, or is a text.
   */
  readonly paths?: readonly string[];
}

/** The stop reasons of a vendor. */
export interface StopReasonTable {
  readonly unified: ReadonlyMap<string, UnifiedStop>;
  /** Values that replace an answer. */
  readonly faults: ReadonlyMap<string, FaultKind>;
}

/** A request as the model behind a target takes it, and the fields of which nothing reaches the model. */
export interface FittingResult {
  readonly request: ModelRequest;
  readonly dropped: readonly RequestField[];
}

/** Units in which a request limits thinking. */
export type ThinkingMeasure = 'budget' | 'effort';

/** The complete rules of one dialect. */
export interface TranslationTable<Target> {
  /**
   * Reduces the fields that the rows map to those that the model accepts, where that depends on their values. Absent:
   * the model accepts all that the rows map.
   */
  readonly fit?: (request: ModelRequest, target: Target) => FittingResult;
  /** The measure of thinking that is not sent, of a budget and an effort. Absent, or undefined: both are sent. */
  readonly unsentThinkingField?: (target: Target) => ThinkingMeasure | 'both' | undefined;
  readonly fields: Readonly<Record<RequestField, FieldRow<Target>>>;
  readonly blocks: Readonly<Record<BlockForm, Rule<Target>>>;
  readonly tools: Readonly<Record<ToolForm, Rule<Target>>>;
  readonly replies: Readonly<Record<ReplyForm, ReplyRule>>;
  readonly stops: StopReasonTable;
  readonly usage: Readonly<Record<UsageClass, UsageRow>>;
}

/** The treatment of one part at this target. */
export function treatmentOf<Target>(rule: Rule<Target>, target: Target): Treatment {
  let applied = rule;
  while (applied.type === 'depends') applied = applied.on.holds(target) ? applied.then : applied.otherwise;
  return applied;
}
