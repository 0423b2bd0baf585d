import type { Json } from '../../core/json/json.js';

const NONE: readonly never[] = [];

/**
 * Fields of vendors' APIs that a provider is not sent for a caller it cannot tell from others: what costs besides
 * tokens, what keeps data under the operator's account, what has the vendor fetch something or look into the account.
 * By the request types of the vendors' own SDKs (openai 6.49.0, chat completions; @anthropic-ai/sdk 1.12.0, beta
 * messages) and OpenAI's reference of responses, whose fields gateways in front of it may take as well; read
 * 2026-11-23. The values listed are those that ask for less. Searches have a rule of their own
 * (docs/wire/routing.md#words-with-a-price).
 */
export const DENIED_FIELDS: ReadonlyMap<string, readonly Json[]> = new Map<string, readonly Json[]>([
  // Costs besides: speech, a container's hours, and who is billed. A prediction's tokens count as output, and are told.
  ['audio', NONE],
  ['container', NONE],
  ['billing_policy', NONE],
  ['fallback_credit_token', NONE],
  // Keeps data: replies, prompts beyond the cache's minutes, conversations.
  ['store', [false]],
  ['prompt_cache_retention', ['in_memory']],
  ['background', [false]],
  ['thread', NONE],
  ['conversation', NONE],
  // Fields of SDKs and gateways that are unpacked into the body: any of the others may be in it.
  ['extra_body', NONE],
  // Looks into what the account keeps, or fetches from elsewhere.
  ['previous_response_id', NONE],
  ['prompt', NONE],
  ['tool_resources', NONE],
  ['data_sources', NONE],
  ['mcp_servers', NONE],
]);
