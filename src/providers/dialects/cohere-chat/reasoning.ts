import type { ModelRequest } from '../../../core/conversation/request.js';
import type { JsonObject } from '../../../core/json/json.js';

/** The format of this vendor's reasoning in `reasoning_details`. */
export const COHERE_REASONING = 'cohere-chat-v2';

/**
 * Whether to reason, and for how many tokens. An effort only switches reasoning on: the vendor has no levels, only a
 * number of tokens.
 */
export function encodeThinking({ thinking, effort }: ModelRequest): JsonObject | undefined {
  if (thinking?.type === 'disabled' || (thinking === undefined && effort === 'none')) return { type: 'disabled' };
  if (thinking?.type === 'enabled') return { type: 'enabled', token_budget: thinking.budgetTokens };
  return thinking !== undefined || effort !== undefined ? { type: 'enabled' } : undefined;
}
