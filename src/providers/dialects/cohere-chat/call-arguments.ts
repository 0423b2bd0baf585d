/** What the vendor says of a call without arguments. */
const NONE = 'null';

/**
 * The arguments of one call, in pieces cut anywhere: passed on at once, but for the word that stands for none of them.
 */
export class CallArguments {
  /** Might become that word. */
  private held = '';
  private hasBegun = false;

  take(piece: string): string {
    if (this.hasBegun) return piece;
    this.held += piece;
    if (NONE.startsWith(this.held.trim())) return '';
    this.hasBegun = true;
    const json = this.held.trimStart();
    this.held = '';
    return json;
  }

  /** What was held back, at the end: half of the word is no word. */
  rest(): string {
    const { held } = this;
    this.held = '';
    return held.trim() === NONE ? '' : held.trim();
  }
}
