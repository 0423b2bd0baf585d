import { ProviderFault } from '../errors.js';
import { BytePieces } from './byte-pieces.js';
import type { ByteRange } from './byte-range.js';
import type { StreamStage } from './stream-stage.js';

/** One dispatched server-sent event. */
export interface SseFrame {
  /** The `event:` field, empty when absent. */
  readonly event: string;
  /** The `data:` lines, joined by line feeds. */
  readonly data: string;
  /**
   * The frame's bytes with its blank line, when it is exactly `event: <name>`, one `data: ` line and LF line ends, in
   * valid UTF-8: such a frame can be forwarded unchanged.
   */
  readonly source?: ByteRange;
}

/**
 * Limit of the bytes of one frame, line ends included. A longer one is malformed, so that no upstream can exhaust the
 * memory.
 */
export const FRAME_BYTES_MAX = 16 * 1024 * 1024;

const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;
const LETTER_D = 100;
const LETTER_E = 101;
const EMPTY: Buffer = Buffer.alloc(0);
const BYTE_ORDER_MARK: Buffer = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads server-sent events from bytes by the WHATWG rules: any chunk boundary, LF, CR or CRLF, comments, multi-line
 * data, a leading byte-order mark. Works on bytes, so a boundary inside a character is harmless. One per reply.
 * The cost is linear for any chunk boundaries: bytes without a line end wait in a list and are joined once the line is
 * complete.
 */
export class SseReader implements StreamStage<Uint8Array, SseFrame> {
  /**
   * Bytes that are not read yet: the unfinished line, preceded by the lines of a frame that may be forwarded unchanged.
   */
  private rest: Buffer = EMPTY;
  /** Chunks after `rest` that contain no line end. */
  private readonly waiting = new BytePieces();
  /** Start of the unfinished line in `rest`. */
  private lineStart = 0;
  /** Bytes of the unfinished frame that were read and released. */
  private releasedBytes = 0;
  private atStreamStart = true;
  /** The last byte was a CR that ended a line: a following LF belongs to it. */
  private afterCr = false;

  private lastName: Buffer = EMPTY;
  private lastEvent = '';

  // Fields of the unfinished frame.
  private event = '';
  private data: string | undefined;
  private canonical = true;
  private lines = 0;

  constructor(private readonly frameBytesMax = FRAME_BYTES_MAX) {}

  push(chunk: Uint8Array, out: SseFrame[]): void {
    if (chunk.length === 0) return;
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.rest.length > 0 && bytes.indexOf(LF) === -1 && bytes.indexOf(CR) === -1) {
      this.waiting.add(bytes);
    } else {
      this.read(this.join(bytes), out);
    }
    if (this.releasedBytes + this.rest.length + this.waiting.bytes > this.frameBytesMax) {
      throw new ProviderFault(
        'malformed-reply',
        `The provider sent an event of more than ${this.frameBytesMax} bytes.`,
      );
    }
  }

  /** By the standard, a frame without its blank line is not dispatched. */
  end(): void {
    this.rest = EMPTY;
    this.waiting.clear();
  }

  private join(bytes: Buffer): Buffer {
    if (this.rest.length === 0) return bytes;
    const { rest, waiting } = this;
    return Buffer.concat(waiting.bytes === 0 ? [rest, bytes] : [rest, waiting.take(), bytes]);
  }

  private read(buffer: Buffer, out: SseFrame[]): void {
    if (this.atStreamStart) {
      if (buffer.length < BYTE_ORDER_MARK.length && BYTE_ORDER_MARK.subarray(0, buffer.length).equals(buffer)) {
        this.rest = buffer;
        return;
      }
      this.atStreamStart = false;
      if (buffer.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK))
        buffer = buffer.subarray(BYTE_ORDER_MARK.length);
    }
    let frameStart = 0;
    let lineStart = this.lineStart;
    if (this.afterCr) {
      this.afterCr = false;
      if (buffer[lineStart] === LF) {
        lineStart++;
        if (this.lines === 0) frameStart = lineStart;
      }
    }
    // Carriage returns are rare: they are searched only in a chunk that contains one.
    let cr = buffer.indexOf(CR, lineStart);
    let lf = buffer.indexOf(LF, lineStart);
    while (lf !== -1 || cr !== -1) {
      const endsWithCr = cr !== -1 && (lf === -1 || cr < lf);
      const lineEnd = endsWithCr ? cr : lf;
      let next = lineEnd + 1;
      if (endsWithCr) {
        this.canonical = false;
        if (next === buffer.length) this.afterCr = true;
        else if (buffer[next] === LF) next++;
      }
      if (lineEnd === lineStart) {
        this.dispatch(buffer, frameStart, next, out);
        frameStart = next;
      } else {
        this.readLine(buffer, lineStart, lineEnd);
      }
      lineStart = next;
      if (cr !== -1 && cr < next) cr = buffer.indexOf(CR, next);
      if (lf !== -1 && lf < next) lf = buffer.indexOf(LF, next);
    }
    // Only a frame that may be forwarded unchanged needs its earlier lines.
    const keepFrom = this.canonical ? frameStart : lineStart;
    this.releasedBytes += keepFrom - frameStart;
    this.rest = keepFrom === buffer.length ? EMPTY : buffer.subarray(keepFrom);
    this.lineStart = lineStart - keepFrom;
  }

  private readLine(buffer: Buffer, start: number, end: number): void {
    this.lines++;
    const first = buffer[start];
    // Only `data` and `event` are used; `id`, `retry`, comments and unknown fields are ignored.
    if (first === LETTER_D && fieldIs(buffer, start, end, 'data')) {
      const from = valueStart(buffer, start + 4, end);
      if (this.lines !== 2 || from !== start + 6) this.canonical = false;
      const value = this.decode(buffer, from, end);
      this.data = this.data === undefined ? value : `${this.data}\n${value}`;
    } else if (first === LETTER_E && fieldIs(buffer, start, end, 'event')) {
      const from = valueStart(buffer, start + 5, end);
      if (this.lines !== 1 || from !== start + 7) this.canonical = false;
      this.event = this.decodeName(buffer, from, end);
    } else {
      this.canonical = false;
    }
  }

  /** Names repeat: comparing the bytes is cheaper than decoding them again. */
  private decodeName(buffer: Buffer, start: number, end: number): string {
    const known = this.lastName;
    if (known.length === end - start && sameBytes(known, buffer, start)) return this.lastEvent;
    // A copy: a view would keep the whole chunk in memory as long as the stream.
    this.lastName = Buffer.from(buffer.subarray(start, end));
    this.lastEvent = this.decode(buffer, start, end);
    return this.lastEvent;
  }

  private decode(buffer: Buffer, start: number, end: number): string {
    if (start >= end) return '';
    const text = buffer.toString('utf8', start, end);
    // Invalid bytes were decoded as replacement characters. The forwarded frame must match, so it is written anew.
    if (this.canonical && text.includes('\ufffd')) this.canonical = false;
    return text;
  }

  private dispatch(buffer: Buffer, start: number, end: number, out: SseFrame[]): void {
    if (this.data !== undefined) {
      out.push(
        this.canonical && this.lines === 2
          ? { event: this.event, data: this.data, source: { bytes: buffer, start, end } }
          : { event: this.event, data: this.data },
      );
    }
    this.event = '';
    this.data = undefined;
    this.canonical = true;
    this.lines = 0;
    this.releasedBytes = 0;
  }
}

function sameBytes(known: Buffer, buffer: Buffer, start: number): boolean {
  for (let index = 0; index < known.length; index++) if (known[index] !== buffer[start + index]) return false;
  return true;
}

function fieldIs(buffer: Buffer, start: number, end: number, name: string): boolean {
  const length = name.length;
  if (end - start < length) return false;
  for (let index = 1; index < length; index++) if (buffer[start + index] !== name.charCodeAt(index)) return false;
  return end - start === length || buffer[start + length] === COLON;
}

function valueStart(buffer: Buffer, afterName: number, end: number): number {
  if (afterName >= end) return end;
  return buffer[afterName + 1] === SPACE ? afterName + 2 : afterName + 1;
}

/**
 * One frame on the wire. `data` must contain no line break; JSON text never does. An empty name gives an unnamed frame.
 */
export function writeFrame(event: string, data: string): string {
  return event === '' ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}

/** A comment frame: keeps the connection open; clients ignore it. */
export const writeComment = (text: string): string => `: ${text}\n\n`;

/** The end marker. Unnamed, because clients parse the data of every named frame as JSON. */
export const DONE_FRAME = 'data: [DONE]\n\n';
