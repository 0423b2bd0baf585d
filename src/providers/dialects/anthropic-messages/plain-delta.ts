import type { ModelEvent, SourceBytes } from '../../../core/conversation/event.js';
import type { SseFrame } from '../../../core/stream/sse.js';

const EVENT = 'content_block_delta';
const QUOTE = 34;
const SPACE = 32;
const CLOSING_BRACE = 125;

/** The bytes of a frame, for an event with exactly its content. */
export function sourceOf({ source }: SseFrame): SourceBytes | undefined {
  return source && { vendor: 'anthropic', bytes: source.bytes, start: source.start, end: source.end };
}

/**
 * Reads the most frequent deltas of a stream without parsing their JSON: text or reasoning of the open block, in
 * exactly the vendor's layout, without escapes. Every other frame is left to the parser. One per block.
 */
export class PlainDelta {
  private readonly head: string;

  constructor(
    private readonly index: number,
    private readonly type: 'text' | 'thinking',
  ) {
    this.head = `{"type":"${EVENT}","index":${index},"delta":{"type":"${type}_delta","${type}":"`;
  }

  /** @returns false when the frame is not such a delta; nothing of it was read then */
  read(frame: SseFrame, out: ModelEvent[]): boolean {
    const { data } = frame;
    if (frame.event !== EVENT || !data.startsWith(this.head)) return false;
    const end = data.indexOf('"', this.head.length);
    if (end === -1 || !closesAfter(data, end)) return false;
    const text = data.slice(this.head.length, end);
    // Escapes and raw control characters are left to the parser.
    if (NOT_PLAIN.test(text)) return false;
    const source = sourceOf(frame);
    const { index, type } = this;
    out.push(
      source
        ? { type: 'block-delta', index, delta: { type, text }, source }
        : { type: 'block-delta', index, delta: { type, text } },
    );
    return true;
  }
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const NOT_PLAIN = /[\\\u0000-\u001f]/;

/** Only the closing braces of delta and event follow the quote; the vendor pads with spaces between them. */
function closesAfter(data: string, quote: number): boolean {
  if (data.charCodeAt(quote) !== QUOTE || data.charCodeAt(quote + 1) !== CLOSING_BRACE) return false;
  let index = quote + 2;
  while (data.charCodeAt(index) === SPACE) index++;
  return index === data.length - 1 && data.charCodeAt(index) === CLOSING_BRACE;
}
