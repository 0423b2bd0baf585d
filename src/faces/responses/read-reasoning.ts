import { isAnthropicReasoning, UNNAMED_REASONING, type ReasoningMark } from '../../core/conversation/reasoning-mark.js';
import { readToken, type ReasoningBlock } from './reasoning-token.js';
import type { ItemOf } from './schemas/input.js';

/**
 * The reasoning of an item. Its encrypted content alone restores what the vendor requires; one of another origin, or
 * altered, is dropped, and the readable text stays. Without it a signature and its format identify the vendor.
 */
export function readReasoning(item: ItemOf<'reasoning'>): readonly ReasoningBlock[] {
  const { encrypted_content: token, signature, format } = item;
  const sealed = token ? readToken(token) : [];
  return sealed.length > 0 ? sealed : wordsOf(item, markOf(format), signature ?? undefined);
}

function markOf(format: string | null | undefined): ReasoningMark | undefined {
  const mark = format && format !== UNNAMED_REASONING ? { format } : undefined;
  return isAnthropicReasoning(mark) ? undefined : mark;
}

function wordsOf(
  { summary, content }: ItemOf<'reasoning'>,
  mark: ReasoningMark | undefined,
  signature: string | undefined,
): ReasoningBlock[] {
  const blocks: ReasoningBlock[] = [];
  for (const { text } of summary ?? []) {
    if (text === '') continue;
    blocks.push({ type: 'thinking', thinking: text, mark: { format: UNNAMED_REASONING, ...mark, isSummary: true } });
  }
  const { isSummary: _summary, ...own } = mark ?? { format: UNNAMED_REASONING };
  for (const { text } of content ?? []) {
    if (text !== '') blocks.push({ type: 'thinking', thinking: text, ...(mark && { mark: own }) });
  }
  const last = blocks.at(-1);
  if (signature && last?.type === 'thinking') blocks[blocks.length - 1] = { ...last, signature };
  return blocks;
}
