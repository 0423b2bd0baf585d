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
 * What sets one provider apart from others of its dialect: plain data with a closed set of keys, told by the code
 * (`providers/catalog`) or the catalog file.
 */
export interface Quirks {
  /** The field that carries the output limit; `max_tokens` unless said otherwise. */
  readonly maxTokensField?: (typeof MAX_TOKENS_FIELDS)[number];
  /** The role that carries instructions; `system` unless said otherwise. */
  readonly systemRole?: (typeof SYSTEM_ROLES)[number];
  /** How reasoning is asked for; absent: it is not sent. */
  readonly reasoningStyle?: (typeof REASONING_STYLES)[number];
  /** The efforts it knows; `low`, `medium` and `high` unless said otherwise. */
  readonly efforts?: readonly Effort[];
  /** It limits its answer by the output limit, and its reasoning not. */
  readonly countsReasoningApart?: boolean;
  /** It wants its own unsigned reasoning back in the history, as `reasoning_content`. */
  readonly returnsReasoning?: boolean;
  /**
   * It wants reasoning back in the history as `reasoning_details`, also what another platform of its signer told.
   * False: it knows no such field, though it may tell sealed reasoning in the responses format.
   */
  readonly returnsReasoningDetails?: boolean;
  /** It sells service tiers, by the names of the chat format. */
  readonly serviceTiers?: boolean;
  /** It may keep what it answers, unless it is told `store: false`. */
  readonly storesReplies?: boolean;
  /** Request fields the provider refuses. */
  readonly omit?: readonly string[];
  /** Documents may be sent as `file` parts. */
  readonly acceptsFiles?: boolean;
  /** It understands `cache_control` on chat parts. */
  readonly acceptsCacheMarkers?: boolean;
  /** Longest tool name it takes; 64 unless said otherwise. */
  readonly toolNameMax?: number;
  /** Longest tool-call id it takes. */
  readonly toolCallIdMax?: number;
  /** Tool-call ids must be exactly this many letters and digits. */
  readonly toolCallIdLength?: number;
  /**
   * Which tools that the vendor of its format defines are to be had there; `all`: those too that nobody knows here yet.
   * Absent: what its platform has, and of `direct` none. Who is charged for searches says so by their price.
   */
  readonly vendorTools?: 'all' | readonly VendorToolName[];
  /** Which generation of Gemini answers; absent: the model's name at the provider tells. */
  readonly geminiGeneration?: (typeof GEMINI_GENERATIONS)[number];
}
