import type { Effort } from './conversation/effort.js';

export const MAX_TOKENS_FIELDS = ['max_tokens', 'max_completion_tokens'] as const;
export const SYSTEM_ROLES = ['system', 'developer'] as const;
export const GEMINI_GENERATIONS = ['gemini-2', 'gemini-2.5', 'gemini-3'] as const;
export const REASONING_STYLES = ['reasoning_effort', 'reasoning_object', 'thinking_object'] as const;
/** Tools of the Messages format that its vendor defines, by their types without the date. */
export const VENDOR_TOOLS = [
  'advisor', 'bash', 'browser_toolset', 'code_execution', 'computer', 'computer_toolset', 'mcp_toolset', 'memory',
  'text_editor', 'tool_search_tool_bm25', 'tool_search_tool_regex', 'web_fetch', 'web_search',
] as const; // oxfmt-ignore
export type VendorToolName = (typeof VENDOR_TOOLS)[number];

/**
 * How a provider differs from others of its dialect: plain data with a closed set of keys, set in code
 * (`providers/catalog`) or in the catalog file.
 */
export interface Quirks {
  /** The field that carries the output limit; default `max_tokens`. */
  readonly maxTokensField?: (typeof MAX_TOKENS_FIELDS)[number];
  /** The role that carries instructions; default `system`. */
  readonly systemRole?: (typeof SYSTEM_ROLES)[number];
  /** How reasoning is requested; absent: it is not sent. */
  readonly reasoningStyle?: (typeof REASONING_STYLES)[number];
  /** The efforts that it accepts; default `low`, `medium` and `high`, and with `thinking_object` none. */
  readonly efforts?: readonly Effort[];
  /** Its output limit does not include reasoning. */
  readonly countsReasoningApart?: boolean;
  /** It requires its own unsigned reasoning back in the history, as `reasoning_content`. */
  readonly returnsReasoning?: boolean;
  /**
   * It requires reasoning back in the history as `reasoning_details`, including that of another platform of the same
   * signer. False: it does not accept that field, though it may emit sealed reasoning in the responses format.
   */
  readonly returnsReasoningDetails?: boolean;
  /** It sells service tiers, under the names of the chat format. */
  readonly serviceTiers?: boolean;
  /** In the responses format it repeats a message, each time with more of its text. */
  readonly repeatsMessages?: boolean;
  /** It may store its replies, unless the request has `store: false`. */
  readonly storesReplies?: boolean;
  /** Request fields the provider refuses. */
  readonly omit?: readonly string[];
  /** Documents may be sent as `file` parts. */
  readonly acceptsFiles?: boolean;
  /** It accepts `cache_control` on chat parts. */
  readonly acceptsCacheMarkers?: boolean;
  /** Longest tool name that it accepts; default 64. */
  readonly toolNameMax?: number;
  /** Longest tool-call id that it accepts. */
  readonly toolCallIdMax?: number;
  /** Tool-call ids must be exactly this many letters and digits. */
  readonly toolCallIdLength?: number;
  /**
   * Which of the tools that the vendor of its format defines are available; `all`: including those unknown here.
   * Absent: the tools of its platform, and for `direct` none. Whether searches are charged is stated by their price.
   */
  readonly vendorTools?: 'all' | readonly VendorToolName[];
  /** It takes a choice among some of the tools (`allowed_tools`); others are sent no tools but these. */
  readonly namesAllowedTools?: boolean;
  /** It refuses `strict` with a schema that does not fit the strict mode of its format. */
  readonly checksStrictSchemas?: boolean;
  /** Which generation of Gemini answers; absent: it follows from the model's name at the provider. */
  readonly geminiGeneration?: (typeof GEMINI_GENERATIONS)[number];
}
