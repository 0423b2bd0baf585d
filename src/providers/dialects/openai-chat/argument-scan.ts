const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;

/**
 * Finds where the JSON object of a tool call's arguments ends, in pieces cut anywhere and without parsing twice. It
 * looks at brackets and strings only: text that is no object, or a broken one, simply never ends.
 */
export class ArgumentScan {
  private state: 'before' | 'inside' | 'ended' | 'not-an-object' = 'before';
  private depth = 0;
  private inString = false;
  private isEscaped = false;

  get hasEnded(): boolean {
    return this.state === 'ended';
  }

  /** How much of this piece belongs to the object: all of it until the end is found, nothing afterwards. */
  take(piece: string): number {
    if (this.state === 'ended') return 0;
    if (this.state === 'not-an-object') return piece.length;
    for (let index = 0; index < piece.length; index++) {
      const code = piece.charCodeAt(index);
      if (this.state === 'before') {
        if (isSpace(code)) continue;
        if (code !== OPEN_BRACE) {
          this.state = 'not-an-object';
          return piece.length;
        }
        this.state = 'inside';
      }
      if (this.read(code)) return index + 1;
    }
    return piece.length;
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
