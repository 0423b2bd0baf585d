import type { BlockDelta, BlockStart } from '../../core/conversation/event.js';
import { RESPONSES_REASONING, UNNAMED_REASONING, type ReasoningMark } from '../../core/conversation/reasoning-mark.js';
import type { JsonObject } from '../../core/json/json.js';
import { printToken, type ReasoningBlock } from './reasoning-token.js';
import type { OutputItemRef, ItemSink, ItemStatus } from './item-sink.js';

type ReasoningStart = Extract<BlockStart, { type: 'thinking' | 'redacted-thinking' }>;

/** How the reasoning itself, or a summary of it, is sent: each has its own list and its own events. */
interface Form {
  readonly index: 'content_index' | 'summary_index';
  readonly part: 'reasoning_text' | 'summary_text';
  readonly added: string;
  readonly event: string;
  readonly done: string;
}

const CONTENT: Form = {
  index: 'content_index',
  part: 'reasoning_text',
  added: 'response.content_part.added',
  event: 'response.reasoning_text',
  done: 'response.content_part.done',
};
const SUMMARY: Form = {
  index: 'summary_index',
  part: 'summary_text',
  added: 'response.reasoning_summary_part.added',
  event: 'response.reasoning_summary_text',
  done: 'response.reasoning_summary_part.done',
};

/**
 * Builds an item of reasoning. Items of vendors of this format have several texts and one seal; each text of another
 * vendor is an item of its own, with its own signature. An item with nothing to read and nothing to send back is left
 * out (docs/use/responses.md#reply), so that it begins with its first words, or at its end.
 */
export class ReasoningItem {
  private readonly summary: JsonObject[] = [];
  private readonly content: JsonObject[] = [];
  private readonly blocks: ReasoningBlock[] = [];
  private form = CONTENT;
  private text = '';
  private signature = '';
  private opening = '';
  private isSealed = false;
  private begun: OutputItemRef | undefined;

  /** @param newRef makes the next index of the output and its id */
  constructor(
    private readonly newRef: () => OutputItemRef,
    private readonly sink: ItemSink,
    private readonly mark: ReasoningMark | undefined,
  ) {}

  accepts(block: BlockStart): boolean {
    if (this.isSealed || (block.type !== 'thinking' && block.type !== 'redacted-thinking')) return false;
    const { mark } = block;
    return mark?.format === RESPONSES_REASONING && mark.format === this.mark?.format && mark.id === this.mark.id;
  }

  begin(block: ReasoningStart): void {
    if (block.type === 'redacted-thinking') {
      const { type, data, mark } = block;
      this.isSealed = true;
      if (data !== '') this.blocks.push({ type, data, ...(mark && { mark }) });
      return;
    }
    this.text = '';
    this.signature = '';
    this.form = block.mark?.isSummary === true ? SUMMARY : CONTENT;
  }

  grow(delta: BlockDelta): void {
    if (delta.type === 'signature') this.signature += delta.signature;
    if (delta.type !== 'thinking' || delta.text === '') return;
    if (this.text === '') this.beginPart();
    this.text += delta.text;
    this.sink.writer?.writePiece(`${this.form.event}.delta`, this.opening, delta.text, '}');
  }

  /** @param block the block that ends */
  end(block: ReasoningStart): void {
    if (block.type !== 'thinking') return;
    const { text } = this;
    if (text !== '') this.endPart();
    else if (this.signature === '') return;
    this.blocks.push({
      type: 'thinking',
      thinking: text,
      ...(this.signature !== '' && { signature: this.signature }),
      ...(block.mark && { mark: block.mark }),
    });
  }

  close(status: ItemStatus): void {
    const hasProof = this.sink.wantsProof && this.blocks.length > 0;
    if (!this.begun && !hasProof) return;
    const ref = this.opened();
    ref.finish(this.view(ref, status));
  }

  private opened(): OutputItemRef {
    if (this.begun) return this.begun;
    this.begun = this.newRef();
    this.begun.add(this.view(this.begun, 'in_progress'));
    return this.begun;
  }

  private beginPart(): void {
    const ref = this.opened();
    if (!this.sink.writer) return;
    const index = this.index();
    this.opening = ref.opening(index);
    ref.write(this.form.added, { ...index, part: { type: this.form.part, text: '' } });
  }

  private endPart(): void {
    const { form, text } = this;
    const ref = this.opened();
    const index = this.index();
    const part = { type: form.part, text };
    ref.write(`${form.event}.done`, { ...index, text });
    ref.write(form.done, { ...index, part });
    (form === SUMMARY ? this.summary : this.content).push(part);
  }

  private index(): JsonObject {
    const { form } = this;
    return { [form.index]: (form === SUMMARY ? this.summary : this.content).length };
  }

  private view(ref: OutputItemRef, status: ItemStatus | 'in_progress'): JsonObject {
    const format = this.mark?.format;
    return {
      type: 'reasoning',
      id: ref.id,
      summary: this.summary,
      ...(this.content.length > 0 && { content: this.content }),
      ...(this.sink.wantsProof && status !== 'in_progress' && { encrypted_content: printToken(this.blocks) }),
      ...(format !== undefined && format !== UNNAMED_REASONING && { format }),
      status,
    };
  }
}
