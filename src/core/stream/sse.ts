import { ProviderFault } from '../errors.js';
import type { Step } from './step.js';

/** One dispatched server-sent event. */
export interface SseFrame {
  /** The `event:` field, empty when there was none. */
  readonly event: string;
  /** The `data:` lines, joined by line feeds. */
  readonly data: string;
  /**
   * The frame's bytes with its blank line, when it is exactly `event: <name>`, one `data: ` line and LF line ends, in valid
   * UTF-8: such a frame can be sent on as it is.
   */
  readonly source?: Uint8Array;
}

/** Most bytes of one frame, line ends included. A longer one is malformed, so that no upstream can fill the memory. */
export const FRAME_BYTES_MAX = 16 * 1024 * 1024;

const LF = 10;
const CR = 13;
const COLON = 58;
const SPACE = 32;

/**
 * Reads server-sent events from bytes by the WHATWG rules: any chunk cut, LF, CR or CRLF, comments, multi-line data, a leading
 * byte-order mark. Works on bytes, so a cut inside a character cannot harm. One per reply.
 */
export class SseReader implements Step<Uint8Array, SseFrame> {
  /** Bytes of the unfinished frame, from its first line on. */
  private rest: Buffer = Buffer.alloc(0);
  /** Where in `rest` the next line begins, and from where no line end was found yet. */
  private lineStart = 0;
  private scanned = 0;
  private atStreamStart = true;

  // Fields of the unfinished frame.
  private event = '';
  private data: string | undefined;
  private canonical = true;
  private lines = 0;

  constructor(private readonly frameBytesMax = FRAME_BYTES_MAX) {}

  push(chunk: Uint8Array, out: SseFrame[]): void {
    if (chunk.length === 0) return;
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let buffer = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    if (this.atStreamStart) {
      if (buffer.length < 3 && isPrefixOfMark(buffer)) {
        this.rest = buffer;
        return;
      }
      this.atStreamStart = false;
      if (buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf) buffer = buffer.subarray(3);
    }
    this.rest = buffer.subarray(this.readLines(buffer, out));
    if (this.rest.length > this.frameBytesMax) {
      throw new ProviderFault(
        'malformed-reply',
        `The provider sent an event of more than ${this.frameBytesMax} bytes.`,
      );
    }
  }

  /** A frame without its blank line is not dispatched, by the standard's rule. */
  end(): void {
    this.rest = Buffer.alloc(0);
  }

  /** Dispatches every whole frame; returns where the unfinished one begins. */
  private readLines(buffer: Buffer, out: SseFrame[]): number {
    let frameStart = 0;
    // A line feed is by far the commonest line end; carriage returns are looked for only where there are any.
    let hasCr = buffer.indexOf(CR, this.scanned) !== -1;
    for (;;) {
      let lineEnd = buffer.indexOf(LF, this.scanned);
      let next = lineEnd + 1;
      if (hasCr) {
        const cr = buffer.indexOf(CR, this.scanned);
        if (cr === -1) hasCr = false;
        else if (lineEnd === -1 || cr < lineEnd) {
          // A final CR may be the first half of CRLF: the line waits for the next byte.
          if (cr === buffer.length - 1) lineEnd = -1;
          else {
            this.canonical = false;
            lineEnd = cr;
            next = buffer[cr + 1] === LF ? cr + 2 : cr + 1;
            if (next === cr + 1) hasCr = true;
          }
          if (lineEnd === -1) {
            this.scanned = cr;
            break;
          }
        }
      }
      if (lineEnd === -1) {
        this.scanned = buffer.length;
        break;
      }
      if (lineEnd === this.lineStart) {
        this.dispatch(buffer, frameStart, next, out);
        frameStart = next;
      } else {
        this.readLine(buffer, this.lineStart, lineEnd);
      }
      this.lineStart = next;
      this.scanned = next;
    }
    this.lineStart -= frameStart;
    this.scanned -= frameStart;
    return frameStart;
  }

  private readLine(buffer: Buffer, start: number, end: number): void {
    this.lines++;
    const first = buffer[start];
    // d-a-t-a and e-v-e-n-t are the only fields used here; `id`, `retry`, comments and unknown fields are passed over.
    if (first === 100 && fieldIs(buffer, start, end, 'data')) {
      const from = valueStart(buffer, start + 4, end);
      if (from !== start + 6 || this.data !== undefined || this.lines !== 2) this.canonical = false;
      const value = this.decode(buffer, from, end);
      this.data = this.data === undefined ? value : `${this.data}\n${value}`;
    } else if (first === 101 && fieldIs(buffer, start, end, 'event')) {
      const from = valueStart(buffer, start + 5, end);
      if (from !== start + 7 || this.lines !== 1) this.canonical = false;
      this.event = this.decode(buffer, from, end);
    } else {
      this.canonical = false;
    }
  }

  private decode(buffer: Buffer, start: number, end: number): string {
    if (start >= end) return '';
    const text = buffer.toString('utf8', start, end);
    // Invalid bytes were read as replacement characters: what is sent on must say the same, so it is written anew.
    if (this.canonical && text.includes('\ufffd')) this.canonical = false;
    return text;
  }

  private dispatch(buffer: Buffer, start: number, end: number, out: SseFrame[]): void {
    if (this.data !== undefined) {
      const whole = this.canonical && this.lines === 2;
      out.push(
        whole
          ? { event: this.event, data: this.data, source: buffer.subarray(start, end) }
          : { event: this.event, data: this.data },
      );
    }
    this.event = '';
    this.data = undefined;
    this.canonical = true;
    this.lines = 0;
  }
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

function isPrefixOfMark(bytes: Uint8Array): boolean {
  return (bytes[0] ?? 0xef) === 0xef && (bytes[1] ?? 0xbb) === 0xbb;
}

/** One frame on the wire. `data` must hold no line break; JSON text never does. An empty name gives an unnamed frame. */
export function writeFrame(event: string, data: string): string {
  return event === '' ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}

/** A comment: keeps the connection warm, clients pass over it. */
export const writeComment = (text: string): string => `: ${text}\n\n`;

/** The sentinel. Unnamed: clients parse the data of every named frame as JSON. */
export const DONE_FRAME = 'data: [DONE]\n\n';
