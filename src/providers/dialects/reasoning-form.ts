import type { RedactedThinkingBlock, ThinkingBlock } from '../../core/conversation/content.js';
import { isAnthropicReasoning } from '../../core/conversation/reasoning-mark.js';
import type { BlockForm } from '../../core/translation.js';

export type ReasoningBlock = ThinkingBlock | RedactedThinkingBlock;

/**
 * The tables' row for reasoning of a conversation.
 * @param isOwn whether the target made it, or counts as its maker
 */
export function reasoningForm(block: ReasoningBlock, isOwn: boolean): BlockForm {
  const { type, mark } = block;
  if (type === 'redacted-thinking') {
    return isOwn ? 'sealed_own' : isAnthropicReasoning(mark) ? 'sealed_anthropic' : 'sealed_other';
  }
  if (isOwn) return 'thinking_own';
  // Unsigned reasoning of another provider is treated like its signed reasoning.
  if (!isSigned(block)) return mark?.provider === undefined ? 'thinking_unsigned' : 'thinking_other';
  return isAnthropicReasoning(mark) ? 'thinking_anthropic' : 'thinking_other';
}

/** Whether the block identifies its maker, by a signature or by its encryption. */
export const isSigned = (block: ReasoningBlock): boolean =>
  block.type === 'redacted-thinking' || (block.signature ?? '') !== '';
