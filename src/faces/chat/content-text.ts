import { BETWEEN_TEXTS } from '../../inference/tools/sealed-reply.js';

/**
 * Joins the text blocks of one reply into the one `content` of the format. Adjacent blocks are one text that citations
 * split. The same for whole and streamed replies; one instance per reply.
 */
export class ContentText {
  /** UTF-16 units so far, as clients count them. */
  length = 0;
  /** It contains several texts, one behind the other. */
  isSeveral = false;
  private isInterrupted = false;

  /** To be called where a block that is no text begins. */
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

  /** The next piece belongs to another text than the one before it. */
  private get begins(): boolean {
    return this.isInterrupted && this.length > 0;
  }
}
