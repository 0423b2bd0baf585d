import type { ByteRange } from '../../core/stream/byte-range.js';

/** Frames to be sent: bytes that came from upstream, or text of our own. */
export type Chunk = Uint8Array | string;

/**
 * Joins the frames of a batch into one write with the least copying: ranges that are adjacent in one upstream chunk
 * become one view of it, and bytes are copied only where views and text must be mixed. Empty again after each `take`.
 */
export class ChunkJoiner {
  private readonly parts: Chunk[] = [];
  private text = '';
  private bytes: Uint8Array | undefined;
  private start = 0;
  private end = 0;

  add(frame: string | ByteRange): void {
    if (typeof frame === 'string') {
      this.closeRange();
      this.text += frame;
    } else if (this.bytes === frame.bytes && this.end === frame.start) {
      this.end = frame.end;
    } else {
      this.closeRange();
      this.closeText();
      this.bytes = frame.bytes;
      this.start = frame.start;
      this.end = frame.end;
    }
  }

  /** Everything that was added, in order; undefined when there was nothing. */
  take(): Chunk | undefined {
    if (this.parts.length === 0) return this.takeOnly();
    this.closeRange();
    this.closeText();
    const joined = Buffer.concat(this.parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    this.parts.length = 0;
    return joined;
  }

  /** Nearly every batch is one range, or one text. */
  private takeOnly(): Chunk | undefined {
    const { bytes, text } = this;
    if (bytes) {
      this.bytes = undefined;
      return bytes.subarray(this.start, this.end);
    }
    if (text === '') return undefined;
    this.text = '';
    return text;
  }

  private closeRange(): void {
    if (!this.bytes) return;
    this.parts.push(this.bytes.subarray(this.start, this.end));
    this.bytes = undefined;
  }

  private closeText(): void {
    if (this.text === '') return;
    this.parts.push(this.text);
    this.text = '';
  }
}
