import { ANTHROPIC_REASONING, isAnthropicReasoning } from '../../../core/conversation/reasoning-mark.js';
import { definedOnly } from '../../../core/defined.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { type ReasoningBlock } from '../reasoning-form.js';

/**
 * Reasoning as `reasoning_details`.
 * @param index its index among the details of the turn
 */
export function encodeReasoningDetail(block: ReasoningBlock, index: number): JsonObject {
  const { mark } = block;
  const rest = definedOnly({ format: mark?.format ?? ANTHROPIC_REASONING, id: mark?.id, index });
  if (block.type === 'redacted-thinking') return { type: 'reasoning.encrypted', data: block.data, ...rest };
  const signature = definedOnly({ signature: block.signature });
  return mark?.isSummary
    ? { type: 'reasoning.summary', summary: block.thinking, ...signature, ...rest }
    : { type: 'reasoning.text', text: block.thinking, ...signature, ...rest };
}

/**
 * Whether the target made this reasoning; only its maker, which can read it, receives it
 * (docs/contribute/reasons/translation.md#reasoning-goes-to-its-signer). Only the provider that encrypted reasoning can
 * decrypt it. If the caller's block names no maker, a target that takes reasoning of other platforms back counts as its
 * maker.
 */
export function isOwn({ mark }: ReasoningBlock, { endpoint, definition }: Target): boolean {
  if (mark?.provider !== undefined) return mark.provider === endpoint.provider.slug;
  return definition.quirks.returnsReasoningDetails === true && !isAnthropicReasoning(mark);
}
