import { BETWEEN_TEXTS } from '../inference/tools/sealed-reply.js';

/**
 * Puts the text blocks of one reply into the one `content` of the format. Blocks that follow one another are one text
 * that citations cut. The same for whole replies and streamed ones; one per reply.
 */
export class ContentText {
  /** UTF-16 units so far, as clients count them. */
  length = 0;
  /** Several texts stand in it, one behind the other. */
  isSeveral = false;
  private isInterrupted = false;

  /** A block that is no text begins. */
  interrupt(): void {
    this.isInterrupted = true;
  }

  /** Where the words of the next piece will stand. */
  get nextStart(): number {
    return this.begins ? this.length + BETWEEN_TEXTS.length : this.length;
  }

  /** @returns the piece as it stands in `content` */
  add(piece: string): string {
    if (piece === '') return '';
    const { begins } = this;
    const added = begins ? BETWEEN_TEXTS + piece : piece;
    this.isSeveral ||= begins;
    this.isInterrupted = false;
    this.length += added.length;
    return added;
  }

  /** Of another text than the one before it. */
  private get begins(): boolean {
    return this.isInterrupted && this.length > 0;
  }
}
