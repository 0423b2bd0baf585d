import type { BlockDelta, BlockStart } from '../../core/conversation/event.js';
import { RESPONSES_REASONING, UNNAMED_REASONING, type ReasoningMark } from '../../core/conversation/reasoning-mark.js';
import type { JsonObject } from '../../core/json/json.js';
import { printToken, type ReasoningBlock } from './reasoning-token.js';
import type { ItemPlace, ItemStatus } from './item-sink.js';

type ReasoningStart = Extract<BlockStart, { type: 'thinking' | 'redacted-thinking' }>;

/** The reasoning itself, or a summary of it: each has its own list and its own events. */
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
 * Reasoning under construction. A vendor of this format has several texts and one seal for an item; every other text
 * is an item of its own, with its own signature.
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

  constructor(
    private readonly place: ItemPlace,
    private readonly mark: ReasoningMark | undefined,
  ) {
    place.add(this.view('in_progress'));
  }

  accepts(block: BlockStart): boolean {
    if (this.isSealed || (block.type !== 'thinking' && block.type !== 'redacted-thinking')) return false;
    const { mark } = block;
    return mark?.format === RESPONSES_REASONING && mark.format === this.mark?.format && mark.id === this.mark.id;
  }

  begin(block: ReasoningStart): void {
    if (block.type === 'redacted-thinking') {
      const { type, data, mark } = block;
      this.isSealed = true;
      this.blocks.push({ type, data, ...(mark && { mark }) });
      return;
    }
    this.text = '';
    this.signature = '';
    this.form = block.mark?.isSummary === true ? SUMMARY : CONTENT;
    if (!this.place.sink.writer) return;
    const index = this.index();
    this.opening = this.place.opening(index);
    this.place.write(this.form.added, { ...index, part: { type: this.form.part, text: '' } });
  }

  grow(delta: BlockDelta): void {
    if (delta.type === 'signature') this.signature += delta.signature;
    if (delta.type !== 'thinking' || delta.text === '') return;
    this.text += delta.text;
    this.place.sink.writer?.writePiece(`${this.form.event}.delta`, this.opening, delta.text, '}');
  }

  /** @param block the one that ends */
  end(block: ReasoningStart): void {
    if (block.type !== 'thinking') return;
    const { form, text } = this;
    const index = this.index();
    const part = { type: form.part, text };
    this.place.write(`${form.event}.done`, { ...index, text });
    this.place.write(form.done, { ...index, part });
    (form === SUMMARY ? this.summary : this.content).push(part);
    this.blocks.push({
      type: 'thinking',
      thinking: text,
      ...(this.signature !== '' && { signature: this.signature }),
      ...(block.mark && { mark: block.mark }),
    });
  }

  close(status: ItemStatus): void {
    this.place.finish(this.view(status));
  }

  private index(): JsonObject {
    const { form } = this;
    return { [form.index]: (form === SUMMARY ? this.summary : this.content).length };
  }

  private view(status: ItemStatus | 'in_progress'): JsonObject {
    const format = this.mark?.format;
    return {
      type: 'reasoning',
      id: this.place.id,
      summary: this.summary,
      ...(this.content.length > 0 && { content: this.content }),
      ...(this.place.sink.wantsProof && status !== 'in_progress' && { encrypted_content: printToken(this.blocks) }),
      ...(format !== undefined && format !== UNNAMED_REASONING && { format }),
      status,
    };
  }
}
