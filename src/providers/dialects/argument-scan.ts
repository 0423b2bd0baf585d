const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

/**
 * Finds the end of the JSON object of a tool call's arguments, in pieces cut anywhere, without parsing twice. It reads
 * brackets and strings only: text without an object, or with a broken one, never ends.
 */
export class ArgumentScan {
  private state: 'before' | 'inside' | 'ended' | 'not-an-object' = 'before';
  private depth = 0;
  private inString = false;
  private isEscaped = false;

  get hasEnded(): boolean {
    return this.state === 'ended';
  }

  /**
   * The part of this piece that belongs to the object: all of it until the end is found, nothing afterwards. Whitespace
   * before the object is left out.
   */
  take(piece: string): string {
    if (this.state === 'ended') return '';
    if (this.state === 'not-an-object') return piece;
    let begin = 0;
    if (this.state === 'before') {
      while (begin < piece.length && isSpace(piece.charCodeAt(begin))) begin++;
      if (begin === piece.length) return '';
      this.state = piece.charCodeAt(begin) === OPEN_BRACE ? 'inside' : 'not-an-object';
      if (this.state === 'not-an-object') return piece.slice(begin);
    }
    for (let index = begin; index < piece.length; index++) {
      if (this.read(piece.charCodeAt(index))) return piece.slice(begin, index + 1);
    }
    return begin === 0 ? piece : piece.slice(begin);
  }

  /** True when this character ends the object. */
  private read(code: number): boolean {
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (code === BACKSLASH) this.isEscaped = true;
      else if (code === QUOTE) this.inString = false;
    } else if (code === QUOTE) {
      this.inString = true;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      this.depth++;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      this.depth--;
      if (this.depth === 0) {
        this.state = 'ended';
        return true;
      }
    }
    return false;
  }
}

const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13;
