import { BETWEEN_TEXTS } from '../../inference/tools/sealed-reply.js';

/**
 * Joins the text blocks of one reply, whole or streamed, into the one `content` of the format. Adjacent blocks are
 * parts of one text, which citations split. One instance per reply.
 */
export class ContentText {
  /** UTF-16 units so far, as clients count them. */
  length = 0;
  /** Whether it contains several separate texts. */
  isSeveral = false;
  private isInterrupted = false;

  /** Must be called when a block other than text begins. */
  interrupt(): void {
    this.isInterrupted = true;
  }

  /** The position of the next piece. */
  get nextStart(): number {
    return this.begins ? this.length + BETWEEN_TEXTS.length : this.length;
  }

  /** @returns the piece as it is in `content` */
  add(piece: string): string {
    if (piece === '') return '';
    const { begins } = this;
    const added = begins ? BETWEEN_TEXTS + piece : piece;
    this.isSeveral ||= begins;
    this.isInterrupted = false;
    this.length += added.length;
    return added;
  }

  /** Whether the next piece begins another text. */
  private get begins(): boolean {
    return this.isInterrupted && this.length > 0;
  }
}
