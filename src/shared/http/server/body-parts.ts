import { yieldToEventLoop } from '../../../core/yield-to-event-loop.js';

/**
 * Minimum bytes of a part that is kept as received; smaller ones are joined, so that each does not keep a memory page.
 */
const PART_BYTES_MIN = 16 * 1024;
const GATHERED_BYTES = 64 * 1024;
/** Bytes copied in one step: a millisecond or two. */
const JOIN_STEP_BYTES = 4 * 1024 * 1024;

/**
 * A body in the parts it arrives in, joined once, at its end: an incomplete body is never copied, and takes no more
 * memory than its received bytes.
 */
export class BodyParts {
  private readonly parts: Buffer[] = [];
  private length = 0;
  /** Number of bytes used in the last part, where small ones are joined in it. */
  private gathered: number | undefined;

  add(part: Buffer): void {
    this.length += part.length;
    if (this.parts.length === 0 || part.length >= PART_BYTES_MIN) {
      this.closeGathered();
      this.parts.push(part);
    } else this.gather(part);
  }

  /** @returns the whole body; a single piece, as of nearly every body, is not copied. Call once */
  async join(): Promise<Buffer> {
    this.closeGathered();
    const [only] = this.parts;
    if (this.parts.length <= 1) return only ?? Buffer.alloc(0);
    const whole = Buffer.allocUnsafe(this.length);
    let at = 0;
    let yieldAt = JOIN_STEP_BYTES;
    for (const part of this.parts) {
      whole.set(part, at);
      at += part.length;
      if (at < yieldAt) continue;
      yieldAt = at + JOIN_STEP_BYTES;
      await yieldToEventLoop();
    }
    return whole;
  }

  private gather(part: Buffer): void {
    if (this.gathered === undefined || this.gathered + part.length > GATHERED_BYTES) {
      this.closeGathered();
      this.parts.push(Buffer.allocUnsafe(GATHERED_BYTES));
      this.gathered = 0;
    }
    this.parts.at(-1)!.set(part, this.gathered);
    this.gathered += part.length;
  }

  private closeGathered(): void {
    if (this.gathered === undefined) return;
    this.parts.push(this.parts.pop()!.subarray(0, this.gathered));
    this.gathered = undefined;
  }
}
