import type { Effort } from './conversation/effort.js';

export const MAX_TOKENS_FIELDS = ['max_tokens', 'max_completion_tokens'] as const;
export const SYSTEM_ROLES = ['system', 'developer'] as const;
export const GEMINI_GENERATIONS = ['gemini-2', 'gemini-2.5', 'gemini-3'] as const;
/** Vendors whose form of rankings a provider of chat completions may have. */
export const RERANK_STYLES = ['jina', 'voyage', 'cohere'] as const;
export type RerankStyle = (typeof RERANK_STYLES)[number];
export const REASONING_STYLES = ['reasoning_effort', 'reasoning_object', 'thinking_object'] as const;
/** Tools of the Messages format that its vendor defines, by their types without the date. */
export const VENDOR_TOOLS = [
  'advisor', 'bash', 'browser_toolset', 'code_execution', 'computer', 'computer_toolset', 'mcp_toolset', 'memory',
  'text_editor', 'tool_search_tool_bm25', 'tool_search_tool_regex', 'web_fetch', 'web_search',
] as const; // oxfmt-ignore
export type VendorToolName = (typeof VENDOR_TOOLS)[number];

/**
 * Differences between a provider and others of its dialect: plain data with a closed set of keys, set in code
 * (`providers/catalog`) or in the catalog file.
 */
export interface Quirks {
  /** The field that carries the output limit; default `max_tokens`. */
  readonly maxTokensField?: (typeof MAX_TOKENS_FIELDS)[number];
  /** The role that carries instructions; default `system`. */
  readonly systemRole?: (typeof SYSTEM_ROLES)[number];
  /** The form in which reasoning is requested; absent: it is not sent. */
  readonly reasoningStyle?: (typeof REASONING_STYLES)[number];
  /** The efforts that it accepts; default `low`, `medium` and `high`, and with `thinking_object` none. */
  readonly efforts?: readonly Effort[];
  /** The provider ranks documents at `/rerank`, in this vendor's form. */
  readonly rerank?: RerankStyle;
  /** The provider's output limit does not include reasoning tokens. */
  readonly countsReasoningApart?: boolean;
  /** The provider requires its own unsigned reasoning back in the history, as `reasoning_content`. */
  readonly returnsReasoning?: boolean;
  /**
   * The provider requires reasoning back in the history as `reasoning_details`, including that of another platform of
   * the same signer. False: it does not accept that field, though it may emit sealed reasoning in the responses format.
   */
  readonly returnsReasoningDetails?: boolean;
  /** The provider sells service tiers, under the names of the chat format. */
  readonly serviceTiers?: boolean;
  /** In the responses format it repeats a message, each time with more of its text. */
  readonly repeatsMessages?: boolean;
  /** The provider may store its replies, unless the request has `store: false`. */
  readonly storesReplies?: boolean;
  /** Request fields the provider refuses. */
  readonly omit?: readonly string[];
  /** Documents may be sent as `file` parts. */
  readonly acceptsFiles?: boolean;
  /** The provider accepts `cache_control` on chat parts. */
  readonly acceptsCacheMarkers?: boolean;
  /** Longest tool name that it accepts; default 64. */
  readonly toolNameMax?: number;
  /** Longest tool-call id that it accepts. */
  readonly toolCallIdMax?: number;
  /** Tool-call ids must be exactly this many letters and digits. */
  readonly toolCallIdLength?: number;
  /**
   * The available tools among those that the vendor of its format defines; `all`: including those unknown here. Absent:
   * the tools of its platform, and for `direct` none. Whether searches are charged is stated by their price.
   */
  readonly vendorTools?: 'all' | readonly VendorToolName[];
  /** The provider takes a choice among some of the tools (`allowed_tools`); others are sent no tools but these. */
  readonly namesAllowedTools?: boolean;
  /** The provider refuses `strict` with a schema that does not fit the strict mode of its format. */
  readonly checksStrictSchemas?: boolean;
  /** The generation of Gemini that answers; absent: it follows from the model's name at the provider. */
  readonly geminiGeneration?: (typeof GEMINI_GENERATIONS)[number];
}
