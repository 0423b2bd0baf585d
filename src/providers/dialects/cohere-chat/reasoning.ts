import type { ModelRequest } from '../../../core/conversation/request.js';
import type { JsonObject } from '../../../core/json/json.js';

/** Whose reasoning it is, in the words of `reasoning_details`. */
export const COHERE_REASONING = 'cohere-chat-v2';

/**
 * Whether to reason, and how long. An effort only switches it on: the vendor has no words for more and less of it
 * but a number of tokens.
 */
export function encodeThinking({ thinking, effort }: ModelRequest): JsonObject | undefined {
  if (thinking?.type === 'disabled' || (thinking === undefined && effort === 'none')) return { type: 'disabled' };
  if (thinking?.type === 'enabled') return { type: 'enabled', token_budget: thinking.budgetTokens };
  return thinking !== undefined || effort !== undefined ? { type: 'enabled' } : undefined;
}
