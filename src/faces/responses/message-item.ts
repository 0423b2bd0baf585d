import type { BlockDelta, BlockStart } from '../../core/conversation/event.js';
import { readWebCitation } from '../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { ItemPlace, ItemStatus } from './item-sink.js';

type TextStart = Extract<BlockStart, { type: 'text' }>;

/** A text in which a vendor refuses to answer. */
const isRefusal = ({ extras }: TextStart): boolean => extras?.vendor === 'openai' && extras.value['type'] === 'refusal';

/** The id of the item that a vendor of this format had the block in. */
export function itemIdOf({ extras }: TextStart | Extract<BlockStart, { type: 'tool-use' }>): string | undefined {
  const id = extras?.vendor === 'openai-responses' ? extras.value['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** A refusal has no id of its own: it stands in the message before it. */
const isOfItem = (block: TextStart, id: string | undefined): boolean => isRefusal(block) || itemIdOf(block) === id;

const NOTHING_BEHIND = '}';
const NO_LOGPROBS = ',"logprobs":[]}';

/** A message under construction: adjacent texts of one phase are its parts. */
export class MessageItem {
  private readonly content: JsonObject[] = [];
  private text = '';
  private refuses = false;
  private citations: Json[] = [];
  private logprobs: Json[] = [];
  /** The events of a piece of the open part. */
  private opening = '';

  constructor(
    private readonly place: ItemPlace,
    private readonly start: TextStart,
  ) {
    place.add(this.view('in_progress', []));
  }

  accepts(block: BlockStart): boolean {
    const { start } = this;
    return block.type === 'text' && block.phase === start.phase && isOfItem(block, itemIdOf(start));
  }

  begin(block: TextStart): void {
    this.text = '';
    this.citations = [];
    this.logprobs = [];
    this.refuses = isRefusal(block);
    if (!this.place.sink.writer) return;
    this.opening = this.place.opening({ content_index: this.content.length });
    this.place.write('response.content_part.added', { content_index: this.content.length, part: this.part([]) });
  }

  grow(delta: BlockDelta): void {
    switch (delta.type) {
      case 'text':
        this.words(delta.text);
        break;
      case 'citation':
        this.citations.push(delta.citation);
        break;
      case 'opaque':
        this.likely(delta.opaque.vendor === 'openai' ? delta.opaque.value['logprobs'] : undefined);
        break;
      case 'thinking':
      case 'signature':
      case 'input-json':
        break;
    }
  }

  words(piece: string): void {
    if (piece === '') return;
    this.text += piece;
    const { writer } = this.place.sink;
    if (this.refuses) writer?.writePiece('response.refusal.delta', this.opening, piece, NOTHING_BEHIND);
    else writer?.writePiece('response.output_text.delta', this.opening, piece, NO_LOGPROBS);
  }

  end(): void {
    const index = { content_index: this.content.length };
    const annotations = this.annotations();
    for (const [place, annotation] of annotations.entries()) {
      this.place.write('response.output_text.annotation.added', { ...index, annotation_index: place, annotation });
    }
    const part = this.part(annotations);
    if (this.refuses) this.place.write('response.refusal.done', { ...index, refusal: this.text });
    else this.place.write('response.output_text.done', { ...index, text: this.text, logprobs: this.logprobs });
    this.place.write('response.content_part.done', { ...index, part });
    this.content.push(part);
  }

  close(status: ItemStatus): void {
    this.place.finish(this.view(status, this.content));
  }

  private likely(logprobs: Json | undefined): void {
    const pieces = isJsonObject(logprobs) ? logprobs['content'] : undefined;
    if (!Array.isArray(pieces) || pieces.length === 0) return;
    for (const piece of pieces as readonly Json[]) this.logprobs.push(piece);
    this.place.write('response.output_text.delta', {
      content_index: this.content.length,
      delta: '',
      logprobs: pieces as readonly Json[],
    });
  }

  private part(annotations: readonly JsonObject[]): JsonObject {
    if (this.refuses) return { type: 'refusal', refusal: this.text };
    return { type: 'output_text', text: this.text, annotations, logprobs: this.logprobs };
  }

  /** Only web addresses have a form here. A page without a place supports the whole text. */
  private annotations(): JsonObject[] {
    const annotations: JsonObject[] = [];
    if (this.refuses) return annotations;
    const { length } = this.text;
    for (const citation of this.citations) {
      const page = readWebCitation(citation);
      if (!page) continue;
      const { url, title, quote, place } = page;
      const { start, end } = place && place.end <= length ? place : { start: 0, end: length };
      annotations.push({
        type: 'url_citation',
        url,
        title: title ?? url,
        ...(quote !== undefined && { content: quote }),
        start_index: start,
        end_index: end,
      });
    }
    return annotations;
  }

  private view(status: ItemStatus | 'in_progress', content: readonly JsonObject[]): JsonObject {
    return {
      type: 'message',
      id: this.place.id,
      role: 'assistant',
      status,
      content,
      ...(this.start.phase !== undefined && { phase: this.start.phase }),
    };
  }
}
