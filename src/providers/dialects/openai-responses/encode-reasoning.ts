import type { ThinkingBlock } from '../../../core/conversation/content.js';
import { RESPONSES_REASONING, type ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import type { Target } from '../../../core/provider.js';
import type { EncodeContext } from '../encode-context.js';
import { reasoningForm, type ReasoningBlock } from '../reasoning-form.js';
import type { ReasoningItem } from './wire.js';

/**
 * The reasoning items of a turn that return to the provider that encrypted them. An item's text comes first, and the
 * encrypted block ends it. Reasoning without an encrypted block is dropped, whatever its row: the vendor stores nothing
 * of it, and cannot read it again (docs/use/translation/openai-responses.md#reasoning). One per turn.
 */
export class ReasoningRun {
  private words: ThinkingBlock[] = [];
  private sealed: ReasoningItem[] = [];

  constructor(private readonly context: EncodeContext) {}

  /** @throws Untranslatable where the table refuses the block */
  add(block: ReasoningBlock, path: string): void {
    if (block.type === 'thinking') {
      this.words.push(block);
      return;
    }
    const { mark, data } = block;
    const ownWords = this.words.filter((thought) => belongs(thought, mark));
    this.words = [];
    if (!this.context.admits(reasoningForm(block, isOwn(mark, this.context.target)), path)) return;
    const words = ownWords.length > 0 && this.context.admits('thinking_own', path) ? ownWords : [];
    const content = words.filter(isContent);
    this.sealed.push({
      type: 'reasoning',
      ...(mark?.id !== undefined && { id: mark.id }),
      summary: words
        .filter((thought) => !isContent(thought))
        .map(({ thinking }) => ({ type: 'summary_text', text: thinking })),
      ...(content.length > 0 && {
        content: content.map(({ thinking }) => ({ type: 'reasoning_text' as const, text: thinking })),
      }),
      encrypted_content: data,
    });
  }

  /** The items since the last call, for the item that follows: the vendor refuses reasoning at the end. */
  take(): readonly ReasoningItem[] {
    const { sealed } = this;
    this.sealed = [];
    this.words = [];
    return sealed;
  }
}

/** Whether a text is the reasoning itself; a text without a mark counts as a summary. */
const isContent = ({ mark }: ThinkingBlock): boolean => mark !== undefined && mark.isSummary !== true;

/**
 * Whether a text belongs to the encrypted block after it. A text without a mark came through a face that has no field
 * for one. A signed text is another vendor's.
 */
const belongs = ({ mark, signature }: ThinkingBlock, seal: ReasoningMark | undefined): boolean =>
  mark === undefined ? (signature ?? '') === '' : mark.format === seal?.format && mark.id === seal.id;

/**
 * Only the provider that encrypted reasoning can decrypt it. If the caller's item names no provider, the target's quirk
 * decides.
 */
function isOwn(mark: ReasoningMark | undefined, { endpoint, definition }: Target): boolean {
  if (mark?.format !== RESPONSES_REASONING) return false;
  if (mark.provider === undefined) return definition.quirks.returnsReasoningDetails === true;
  return mark.provider === endpoint.provider.slug;
}
