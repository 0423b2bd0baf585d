import type { BlockStart, ModelEvent } from '../../../core/conversation/event.js';
import { webCitation } from '../../../core/conversation/web-citation.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import type { BlockOptions, BlockSequencer, SequencedBlock } from '../block-sequencer.js';
import { readUrlCitation } from '../url-citation.js';
import type { BegunPart } from './placed-parts.js';
import type { RepeatedText } from './repeated-text.js';

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
  /** Its text, where it may repeat what another part has. */
  private held: string | undefined;

  constructor(
    private readonly start: BlockStart,
    private readonly sequencer: BlockSequencer,
    /** Whether places in it are places in the whole text of the reply. */
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

  /** Emits only citations of pages with an address. Each page, or each place of it, is emitted once. */
  cite(annotation: Json | undefined, out: ModelEvent[]): void {
    const page = readUrlCitation(annotation);
    if (page === undefined) return;
    const { url, place, ...rest } = page;
    const key = place ? `${place.start} ${place.end} ${url}` : url;
    if (this.cited.has(key)) return;
    this.sequencer.keep(key.length);
    this.cited.add(key);
    const citation = webCitation({ url, ...rest, ...(place && this.isPlaced && { place }) });
    this.sequencer.add(this.begun(out), { type: 'citation', citation }, out);
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
