/** What the vendor says of a call without arguments. */
const NONE = 'null';

/**
 * The arguments of one call, in pieces cut anywhere: passed on at once, but for the word that stands for none of them.
 */
export class CallArguments {
  /** Might become that word; never longer than it, so that no number of pieces makes it dear to look at. */
  private held = '';
  /** What stands behind it already: a blank for any number of them. */
  private gap = '';
  private hasBegun = false;

  take(piece: string): string {
    if (this.hasBegun) return piece;
    const said = piece.trimStart();
    if (this.held !== '' && said !== piece) this.gap = ' ';
    if (said === '') return '';
    const json = this.held + this.gap + said;
    const word = json.trimEnd();
    this.hasBegun = !NONE.startsWith(word);
    if (this.hasBegun) return json;
    this.held = word;
    this.gap = word === json ? '' : ' ';
    return '';
  }

  /** What was held back, at the end: half of the word is no word. */
  rest(): string {
    const { held } = this;
    this.held = '';
    return held === NONE ? '' : held;
  }
}
