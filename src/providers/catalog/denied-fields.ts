import type { Json } from '../../core/json/json.js';

const NONE: readonly never[] = [];

/**
 * Fields of vendors' APIs that are not sent to a provider that cannot distinguish the gateway's callers: they cost
 * besides tokens, keep data under the operator's account, let the vendor fetch something, or read the account. Each row
 * lists the values that request less and are sent. Searches have a separate rule
 * (docs/use/choosing-providers.md#options-that-change-the-price). Sources, read 2026-11-23: the request types of the
 * vendors' SDKs (openai 6.49.0, chat completions; `@anthropic-ai/sdk` 1.12.0, beta messages), and OpenAI's reference of
 * responses, whose fields gateways in front of it may accept as well.
 */
export const DENIED_FIELDS: ReadonlyMap<string, readonly Json[]> = new Map<string, readonly Json[]>([
  // These cost besides tokens: speech, a container's hours, the choice of who is billed. The tokens of a prediction are
  // reported as output.
  ['audio', NONE],
  ['container', NONE],
  ['billing_policy', NONE],
  ['fallback_credit_token', NONE],
  // These keep data: replies, and prompts beyond the cache's minutes. Fields that name a conversation are refused
  // earlier.
  ['store', [false]],
  ['prompt_cache_retention', ['in_memory']],
  ['background', [false]],
  // SDKs and gateways unpack these into the body, so they may contain any of the other fields.
  ['extra_body', NONE],
  // These read what the account keeps, or fetch from elsewhere.
  ['tool_resources', NONE],
  ['data_sources', NONE],
  ['mcp_servers', NONE],
]);
