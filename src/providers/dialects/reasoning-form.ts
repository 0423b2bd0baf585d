import type { RedactedThinkingBlock, ThinkingBlock } from '../../core/conversation/content.js';
import { isAnthropicReasoning } from '../../core/conversation/reasoning-mark.js';
import type { BlockForm } from '../../core/translation.js';

export type ReasoningBlock = ThinkingBlock | RedactedThinkingBlock;

/**
 * Which row of the tables reasoning of a conversation is in.
 * @param isOwn whether the target told it, or may be taken for who did
 */
export function reasoningForm(block: ReasoningBlock, isOwn: boolean): BlockForm {
  const { type, mark } = block;
  if (type === 'redacted-thinking') {
    return isOwn ? 'sealed_own' : isAnthropicReasoning(mark) ? 'sealed_anthropic' : 'sealed_other';
  }
  if (isOwn) return 'thinking_own';
  // What another provider told and nobody signed is as much another's as what is signed.
  if (!isSigned(block)) return mark?.provider === undefined ? 'thinking_unsigned' : 'thinking_other';
  return isAnthropicReasoning(mark) ? 'thinking_anthropic' : 'thinking_other';
}

/** Whether a signature says whose it is; what is sealed is its own. */
export const isSigned = (block: ReasoningBlock): boolean =>
  block.type === 'redacted-thinking' || (block.signature ?? '') !== '';
