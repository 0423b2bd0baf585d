import { GatewayError } from '../../core/errors.js';

/** Deepest nesting of arrays and objects in a body: everything recursive behind the door may rely on it. */
export const JSON_DEPTH_MAX = 200;
/**
 * Most values in a body, members and entries together. What a body costs is a matter of its values, not of its bytes: ten
 * megabytes of text are read in milliseconds, ten megabytes of `[],[],…` would hold up everybody else for seconds.
 */
export const JSON_VALUES_MAX = 200_000;

const QUOTE = 34;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const CAPITAL_E = 69;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const SMALL_E = 101;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Figures of the shortest number that a double may change. */
const LONG_NUMBER = 16;
/** Plain bytes after which the rest of a string is searched as a whole: images are, texts full of escapes are walked. */
const PLAIN_RUN = 32;

/**
 * Walks the bytes of a JSON text, in as many strides as its caller likes, and counts what lies outside of its strings. Refuses
 * what is nested deeper than `JSON_DEPTH_MAX` or holds more than `JSON_VALUES_MAX` values. No byte of a longer UTF-8 character looks
 * like one of ASCII, so bytes serve as well as characters and need no decoding first.
 */
export class JsonScan {
  /** Colons outside of strings: one for each key. */
  keys = 0;
  /** A number that a double may not hold: sixteen figures or more, or an exponent. */
  hasLongNumber = false;

  private index = 0;
  private isInString = false;
  private depth = 0;
  // Each value but the outermost follows a comma or what opens its array or object.
  private values = 0;
  private figures = 0;

  constructor(private readonly bytes: Buffer) {}

  /** Walks on for about `stride` bytes; false once the end is reached. */
  walk(stride: number): boolean {
    const end = Math.min(this.bytes.length, this.index + stride);
    while (this.index < end) {
      if (this.isInString) this.walkString(end);
      else this.walkStructure(end);
    }
    return this.index < this.bytes.length;
  }

  /** Stops behind the quote that ends the string. */
  private walkString(end: number): void {
    const { bytes } = this;
    let plain = 0;
    for (let index = this.index; index < end; index++) {
      const code = bytes[index]!;
      if (code === QUOTE) {
        this.isInString = false;
        this.index = index + 1;
        return;
      }
      if (code === BACKSLASH) {
        index++;
        plain = 0;
      } else if (++plain === PLAIN_RUN) {
        const quote = bytes.indexOf(QUOTE, index + 1);
        if (quote === -1) {
          this.index = bytes.length;
          return;
        }
        // Between the run of plain bytes and the quote stand whole escapes only, so an even number of backslashes leaves it alone.
        let backslashes = 0;
        while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes++;
        this.index = quote + 1;
        if (backslashes % 2 === 0) {
          this.isInString = false;
          return;
        }
        index = quote;
        plain = 0;
      }
      this.index = index + 1;
    }
  }

  /** Stops behind the quote that begins a string. */
  private walkStructure(end: number): void {
    const { bytes } = this;
    let index = this.index;
    while (index < end) {
      const code = bytes[index++]!;
      if ((code >= ZERO && code <= NINE) || code === POINT) {
        if (++this.figures === LONG_NUMBER) this.hasLongNumber = true;
        continue;
      }
      if (this.figures > 0 && (code === CAPITAL_E || code === SMALL_E)) this.hasLongNumber = true;
      this.figures = 0;
      if (code === QUOTE) {
        this.isInString = true;
        break;
      }
      if (code === COLON) this.keys++;
      else if (code === COMMA) this.countValue();
      else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
        this.countValue();
        if (++this.depth > JSON_DEPTH_MAX) throw refuse(`is nested deeper than ${JSON_DEPTH_MAX} levels`);
      } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) this.depth--;
    }
    this.index = index;
  }

  private countValue(): void {
    if (++this.values > JSON_VALUES_MAX) throw refuse(`holds more than ${JSON_VALUES_MAX} values`);
  }
}

function refuse(reason: string): GatewayError {
  return new GatewayError('invalid-request', `body: ${reason}`);
}
