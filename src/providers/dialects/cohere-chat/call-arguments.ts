/** The vendor's text for a call without arguments. */
const NONE = 'null';

/**
 * The arguments of one call, in pieces cut anywhere: passed on at once, except for the word that means no arguments.
 */
export class CallArguments {
  /** A possible beginning of that word. It is never longer than the word, so that many pieces stay cheap. */
  private held = '';
  /** Whitespace after the word: one blank for any amount. */
  private gap = '';
  private hasBegun = false;

  take(piece: string): string {
    if (this.hasBegun) return piece;
    const trimmed = piece.trimStart();
    if (this.held !== '' && trimmed !== piece) this.gap = ' ';
    if (trimmed === '') return '';
    const json = this.held + this.gap + trimmed;
    const word = json.trimEnd();
    this.hasBegun = !NONE.startsWith(word);
    if (this.hasBegun) return json;
    this.held = word;
    this.gap = word === json ? '' : ' ';
    return '';
  }

  /** At the end, the text that was held back, unless it is that word. */
  rest(): string {
    const { held } = this;
    this.held = '';
    return held === NONE ? '' : held;
  }
}
