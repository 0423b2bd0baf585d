import type { ThinkingBlock } from '../../../core/conversation/content.js';
import { RESPONSES_REASONING, type ReasoningMark } from '../../../core/conversation/reasoning-mark.js';
import type { Target } from '../../../core/provider.js';
import type { EncodeContext } from '../encode-context.js';
import { reasoningForm, type ReasoningBlock } from '../reasoning-form.js';
import type { ReasoningItem } from './wire.js';

/**
 * The reasoning items of a turn that go back to who sealed them. Their words come first and the seal ends them; what is
 * not sealed is dropped, whatever its row: nothing is kept of it at the vendor, and it cannot be read again
 * (docs/translation/openai-responses.md#reasoning). One per turn.
 */
export class ReasoningRun {
  private words: ThinkingBlock[] = [];
  private sealed: ReasoningItem[] = [];

  constructor(private readonly context: EncodeContext) {}

  /** @throws Untranslatable where the table refuses it */
  add(block: ReasoningBlock, path: string): void {
    if (block.type === 'thinking') {
      this.words.push(block);
      return;
    }
    const { mark, data } = block;
    const told = this.words.filter((one) => belongs(one, mark));
    this.words = [];
    if (!this.context.admits(reasoningForm(block, isOwn(mark, this.context.target)), path)) return;
    const words = told.length > 0 && this.context.admits('thinking_own', path) ? told : [];
    const content = words.filter(isContent);
    this.sealed.push({
      type: 'reasoning',
      ...(mark?.id !== undefined && { id: mark.id }),
      summary: words.filter((one) => !isContent(one)).map(({ thinking }) => ({ type: 'summary_text', text: thinking })),
      ...(content.length > 0 && {
        content: content.map(({ thinking }) => ({ type: 'reasoning_text' as const, text: thinking })),
      }),
      encrypted_content: data,
    });
  }

  /** What has come since, for the item that follows it: the vendor refuses reasoning behind which nothing stands. */
  take(): readonly ReasoningItem[] {
    const { sealed } = this;
    this.sealed = [];
    this.words = [];
    return sealed;
  }
}

/** Whether words are the reasoning itself; those of whom nobody says are taken for a summary of it. */
const isContent = ({ mark }: ThinkingBlock): boolean => mark !== undefined && mark.isSummary !== true;

/**
 * Whether words are those of the seal behind them. Those without a mark came through a face that has no place for one;
 * signed ones are another vendor's.
 */
const belongs = ({ mark, signature }: ThinkingBlock, seal: ReasoningMark | undefined): boolean =>
  mark === undefined ? (signature ?? '') === '' : mark.format === seal?.format && mark.id === seal.id;

/** Whose key sealed it opens it; of what a caller brought of whom nobody says, the quirk tells who may. */
function isOwn(mark: ReasoningMark | undefined, { endpoint, definition }: Target): boolean {
  if (mark?.format !== RESPONSES_REASONING) return false;
  if (mark.provider === undefined) return definition.quirks.returnsReasoningDetails === true;
  return mark.provider === endpoint.provider.slug;
}
