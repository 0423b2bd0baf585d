/**
 * The text of one message, without what it repeats of the message before: GPT-5.x at Bedrock Mantle has a message
 * several times, each time with more of its text, streamed and whole (NousResearch/hermes-agent, issue 41321;
 * openclaw/openclaw, issue 91959; read 2026-11-29).
 */
export class RepeatedText {
  /** All of the text so far. */
  text = '';
  /** UTF-16 units that are equal to those of the message before. */
  private repeated = 0;
  private isRepeating: boolean;

  /** @param before the text of the message before; empty where there is none */
  constructor(private readonly before: string) {
    this.isRepeating = before !== '';
  }

  /** Returns the new part of the next piece of the text. */
  take(piece: string): string {
    this.text += piece;
    if (!this.isRepeating) return piece;
    const left = this.before.slice(this.repeated);
    if (left.startsWith(piece)) {
      this.repeated += piece.length;
      return '';
    }
    this.isRepeating = false;
    return piece.startsWith(left) ? piece.slice(left.length) : this.text;
  }

  /** Returns the new part at the end of the text: all of a text that is another beginning of the message before. */
  end(): string {
    const isBeginning = this.isRepeating && this.repeated < this.before.length;
    this.isRepeating = false;
    return isBeginning ? this.text : '';
  }
}
