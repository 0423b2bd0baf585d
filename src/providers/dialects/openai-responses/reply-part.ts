import type { BlockStart, ModelEvent } from '../../../core/conversation/event.js';
import { unsharedCitation, webCitation, type WebCitation } from '../../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { BlockOptions, BlockSequencer, SequencedBlock } from '../block-sequencer.js';
import { nonEmpty, printed } from '../read-json.js';
import { readUrlCitation } from '../url-citation.js';
import type { BegunPart } from './placed-parts.js';
import type { RepeatedText } from './repeated-text.js';

const keyOf = ({ url, span }: WebCitation): string => (span ? `${span.start} ${span.end} ${url}` : url);

/** UTF-16 units by which a part is found in the finished item. */
const HEAD_LENGTH = 64;

/** The blocks after it wait for its end, so that nothing of it is lost where items grow in parallel. */
const UNTIL_ENDED: BlockOptions = { isComplete: false };

/**
 * One part of an item, a block of the reply: text that comes in pieces, and possibly once more as a whole. The block
 * begins with the first piece.
 */
export class ReplyPart implements BegunPart {
  private block: SequencedBlock | undefined;
  head = '';
  receivedLength = 0;
  private likelihoods = 0;
  private readonly cited = new Set<string>();
  /** Text of this part that is held back because it may repeat the text of another part. */
  private held: string | undefined;

  constructor(
    private readonly start: BlockStart,
    private readonly sequencer: BlockSequencer,
    /** Whether positions in it are positions in the whole text of the reply. */
    private readonly isPlaced: boolean,
    /** Absent: all of its text is new. */
    private readonly repeated?: RepeatedText | undefined,
  ) {}

  add(text: string, out: ModelEvent[]): void {
    if (text === '') return;
    this.receivedLength += text.length;
    if (this.head.length < HEAD_LENGTH) this.head += text.slice(0, HEAD_LENGTH - this.head.length);
    this.emit(this.repeated === undefined ? text : this.repeated.take(text), out);
  }

  get isHeld(): boolean {
    return this.held !== undefined;
  }

  /** Emits nothing until it is released. */
  hold(): void {
    this.held = '';
  }

  release(out: ModelEvent[]): void {
    const { held } = this;
    if (held === undefined) return;
    this.held = undefined;
    this.emit(held, out);
  }

  private emit(text: string, out: ModelEvent[]): void {
    if (text === '') return;
    if (this.held !== undefined) {
      this.sequencer.keep(text.length);
      this.held += text;
      return;
    }
    const { type } = this.start;
    this.sequencer.add(this.begun(out), { type: type === 'thinking' ? type : 'text', text }, out);
  }

  /** Each page, each passage of it and each other annotation is emitted once. */
  cite(annotation: Json | undefined, out: ModelEvent[]): void {
    if (!isJsonObject(annotation) || nonEmpty(annotation['type']) === undefined) return;
    const page = readUrlCitation(annotation);
    const key = page ? keyOf(page) : printed(annotation);
    if (this.cited.has(key)) return;
    this.sequencer.keep(key.length);
    this.cited.add(key);
    const citation = page ? this.pageCitation(page, annotation) : unsharedCitation(annotation);
    this.sequencer.add(this.begun(out), { type: 'citation', citation }, out);
  }

  /** Positions in a text without its repeated beginning are unknown. */
  private pageCitation({ span, ...page }: WebCitation, annotation: JsonObject): JsonObject {
    const isWhole = this.isPlaced || this.repeated === undefined;
    return webCitation({ ...page, ...(span && this.isPlaced && { span }), ...(isWhole && { annotation }) });
  }

  /** Log probabilities of its text, in pieces: the form is that of chat completions. */
  likely(content: readonly Json[], out: ModelEvent[]): void {
    if (content.length === 0) return;
    this.likelihoods += content.length;
    const value: JsonObject = { logprobs: { content } };
    this.sequencer.add(this.begun(out), { type: 'opaque', opaque: { vendor: 'openai', value } }, out);
  }

  /** Like `complete`, for log probabilities. */
  completeLikely(content: readonly Json[], out: ModelEvent[]): void {
    this.likely(content.slice(this.likelihoods), out);
  }

  /** Ends the part. */
  end(out: ModelEvent[]): void {
    if (this.isHeld) return;
    if (this.repeated !== undefined) this.emit(this.repeated.end(), out);
    if (this.block !== undefined) this.sequencer.complete(this.block, out);
  }

  private begun(out: ModelEvent[]): SequencedBlock {
    this.block ??= this.sequencer.begin(this.start, UNTIL_ENDED, out);
    return this.block;
  }
}
