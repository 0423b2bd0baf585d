import type { BlockStart, ModelEvent } from '../../../core/conversation/event.js';
import { webCitation } from '../../../core/conversation/web-citation.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import type { BlockOptions, BlockSequencer, SequencedBlock } from '../block-sequencer.js';
import { readUrlCitation } from '../url-citation.js';

/** What comes behind it waits until it has ended, so that nothing of it is lost where items grow side by side. */
const UNTIL_ENDED: BlockOptions = { isComplete: false };

/**
 * One part of an item, a block of the reply: words that come in pieces, and perhaps once more as a whole. It begins
 * with the first of them.
 */
export class ReplyPart {
  private block: SequencedBlock | undefined;
  private told = 0;
  private likelihoods = 0;
  private readonly cited = new Set<string>();

  constructor(
    private readonly start: BlockStart,
    private readonly sequencer: BlockSequencer,
    /** Whether places in it are places in all that the reply says. */
    private readonly isPlaced: boolean,
  ) {}

  add(text: string, out: ModelEvent[]): void {
    if (text === '') return;
    this.told += text.length;
    const { type } = this.start;
    this.sequencer.add(this.begun(out), { type: type === 'thinking' ? type : 'text', text }, out);
  }

  /** @param text all of its words, of which what was not told in pieces is told now */
  complete(text: string, out: ModelEvent[]): void {
    if (text.length > this.told) this.add(text.slice(this.told), out);
  }

  /** Of what is no page by an address nothing is told. Each page, or place of it, once. */
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

  /** How likely its words were, in pieces: the form is that of chat completions. */
  likely(content: readonly Json[], out: ModelEvent[]): void {
    if (content.length === 0) return;
    this.likelihoods += content.length;
    const value: JsonObject = { logprobs: { content } };
    this.sequencer.add(this.begun(out), { type: 'opaque', opaque: { vendor: 'openai', value } }, out);
  }

  /** As `complete`. */
  completeLikely(content: readonly Json[], out: ModelEvent[]): void {
    this.likely(content.slice(this.likelihoods), out);
  }

  /** Nothing more is said in it. */
  end(out: ModelEvent[]): void {
    if (this.block !== undefined) this.sequencer.complete(this.block, out);
  }

  private begun(out: ModelEvent[]): SequencedBlock {
    this.block ??= this.sequencer.begin(this.start, UNTIL_ENDED, out);
    return this.block;
  }
}
