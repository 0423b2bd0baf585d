import type { RedactedThinkingBlock, ThinkingBlock } from '../../../core/conversation/content.js';
import { ANTHROPIC_REASONING, isAnthropicReasoning } from '../../../core/conversation/reasoning-mark.js';
import { definedOnly } from '../../../core/defined.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';

type ReasoningBlock = ThinkingBlock | RedactedThinkingBlock;

/**
 * Reasoning as `reasoning_details`, which only who can read it again is shown
 * (docs/reasons/translation.md#reasoning-goes-to-its-signer).
 * @param index its place among the details of the turn
 * @returns undefined for reasoning that is not the target's
 */
export function encodeReasoningDetail(block: ReasoningBlock, index: number, target: Target): JsonObject | undefined {
  if (!isShownTo(block, target)) return undefined;
  const { mark } = block;
  const rest = definedOnly({ format: mark?.format ?? ANTHROPIC_REASONING, id: mark?.id, index });
  if (block.type === 'redacted-thinking') return { type: 'reasoning.encrypted', data: block.data, ...rest };
  const signature = definedOnly({ signature: block.signature });
  return mark?.isSummary
    ? { type: 'reasoning.summary', summary: block.thinking, ...signature, ...rest }
    : { type: 'reasoning.text', text: block.thinking, ...signature, ...rest };
}

function isShownTo({ mark, ...block }: ReasoningBlock, { endpoint, definition }: Target): boolean {
  const { returnsReasoningDetails } = definition.quirks;
  // Its endpoints of another format tell reasoning that those of this one have no field for.
  if (returnsReasoningDetails === false) return false;
  // It told so itself.
  if (mark?.provider === endpoint.provider.slug) return true;
  if (returnsReasoningDetails !== true) return false;
  const isSigned = block.type === 'redacted-thinking' || (block.signature ?? '') !== '';
  // What was sealed with one provider's key no other opens; what Anthropic's models sign holds on every platform.
  return isAnthropicReasoning(mark) ? isSigned : mark?.provider === undefined;
}
