import type { BlockDelta, BlockStart } from '../../core/conversation/event.js';
import { annotationOf, readWebCitation, type WebCitation } from '../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject, type Opaque } from '../../core/json/json.js';
import type { OutputItemRef, ItemStatus } from './item-sink.js';

type TextStart = Extract<BlockStart, { type: 'text' }>;

const isOfRefusal = (extras: Opaque | undefined): boolean =>
  extras?.vendor === 'openai' && extras.value['type'] === 'refusal';

/** A text in which a vendor refuses to answer. */
const isRefusal = ({ extras }: TextStart): boolean => isOfRefusal(extras);

/** The id of the vendor's item that contained the block, where the vendor uses this format. */
export function itemIdOf({ extras }: Extract<BlockStart, { type: 'text' | 'tool-use' | 'image' }>): string | undefined {
  const isOwn = extras?.vendor === 'openai-responses' || isOfRefusal(extras);
  const id = isOwn ? extras?.value['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Whether the block is part of the item. A refusal without an id is part of the message before it. */
function isOfItem(block: TextStart, id: string | undefined): boolean {
  const own = itemIdOf(block);
  return own === id || (own === undefined && isRefusal(block));
}

/** A citation without a range applies to the whole text. */
function urlAnnotation({ url, title, quote, span }: WebCitation, length: number): JsonObject {
  const { start, end } = span && span.end <= length ? span : { start: 0, end: length };
  return {
    type: 'url_citation',
    url,
    title: title ?? url,
    ...(quote !== undefined && { content: quote }),
    start_index: start,
    end_index: end,
  };
}

const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));

/** The annotation, whose range is the whole text where it lies outside: filters may have shortened the text. */
function within(annotation: JsonObject, length: number): JsonObject {
  const { end_index: end } = annotation;
  return typeof end === 'number' && end > length ? { ...annotation, start_index: 0, end_index: length } : annotation;
}

const NOTHING_BEHIND = '}';
const NO_LOGPROBS = ',"logprobs":[]}';

/** Builds a message. Its parts are adjacent texts of one phase. */
export class MessageItem {
  private readonly content: JsonObject[] = [];
  private text = '';
  private refuses = false;
  private citations: Json[] = [];
  private logprobs: Json[] = [];
  /** The beginning of the events for pieces of the open part. */
  private opening = '';

  constructor(
    private readonly ref: OutputItemRef,
    private readonly start: TextStart,
  ) {
    ref.add(this.view('in_progress', []));
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
    if (!this.ref.sink.writer) return;
    this.opening = this.ref.opening({ content_index: this.content.length });
    this.ref.write('response.content_part.added', { content_index: this.content.length, part: this.part([]) });
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
    const { writer } = this.ref.sink;
    if (this.refuses) writer?.writePiece('response.refusal.delta', this.opening, piece, NOTHING_BEHIND);
    else writer?.writePiece('response.output_text.delta', this.opening, piece, NO_LOGPROBS);
  }

  end(): void {
    const index = { content_index: this.content.length };
    const annotations = this.annotations();
    for (const [annotationIndex, annotation] of annotations.entries()) {
      this.ref.write('response.output_text.annotation.added', {
        ...index,
        annotation_index: annotationIndex,
        annotation,
      });
    }
    const part = this.part(annotations);
    if (this.refuses) this.ref.write('response.refusal.done', { ...index, refusal: this.text });
    else this.ref.write('response.output_text.done', { ...index, text: this.text, logprobs: this.logprobs });
    this.ref.write('response.content_part.done', { ...index, part });
    this.content.push(part);
  }

  close(status: ItemStatus): void {
    this.ref.finish(this.view(status, this.content));
  }

  private likely(logprobs: Json | undefined): void {
    const pieces = isJsonObject(logprobs) ? logprobs['content'] : undefined;
    if (!Array.isArray(pieces) || pieces.length === 0) return;
    for (const piece of pieces as readonly Json[]) this.logprobs.push(piece);
    this.ref.write('response.output_text.delta', {
      content_index: this.content.length,
      delta: '',
      logprobs: pieces as readonly Json[],
    });
  }

  private part(annotations: readonly JsonObject[]): JsonObject {
    if (this.refuses) return { type: 'refusal', refusal: this.text };
    return { type: 'output_text', text: this.text, annotations, logprobs: this.logprobs };
  }

  /**
   * Annotations of vendors of this format as they came, completed where a vendor leaves out what clients require; of
   * others only web addresses have a form here.
   */
  private annotations(): JsonObject[] {
    const annotations: JsonObject[] = [];
    if (this.refuses) return annotations;
    const { length } = this.text;
    for (const citation of this.citations) {
      const own = annotationOf(citation);
      const page = readWebCitation(citation);
      const shared = page && urlAnnotation(page, length);
      if (own) annotations.push(within({ ...shared, ...withoutNulls(own) }, length));
      else if (shared) annotations.push(shared);
    }
    return annotations;
  }

  private view(status: ItemStatus | 'in_progress', content: readonly JsonObject[]): JsonObject {
    return {
      type: 'message',
      id: this.ref.id,
      role: 'assistant',
      status,
      content,
      ...(this.start.phase !== undefined && { phase: this.start.phase }),
    };
  }
}
