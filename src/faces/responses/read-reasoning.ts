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
  if (sealed.some(({ type }) => type === 'thinking')) return sealed;
  const mark = sealed[0]?.mark ?? markOf(format);
  // The proof of a text that is not whole any more is no proof; the vendor's own seal needs no text.
  const words = wordsOf(item, mark, sealed.length === 0 ? (signature ?? undefined) : undefined);
  return [...words, ...sealed];
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
