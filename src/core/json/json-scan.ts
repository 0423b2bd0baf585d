import { GatewayError } from '../errors.js';

/** Deepest nesting of arrays and objects in a body: everything recursive behind the door may rely on it. */
export const JSON_DEPTH_MAX = 200;
/**
 * Most values in a body, members and entries together. What a body costs is a matter of its values, not of its bytes:
 * ten megabytes of text are read in milliseconds, ten megabytes of `[],[],…` would hold up everybody else for seconds.
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

/** Stands where no piece can begin. */
const NOWHERE = Infinity;

/**
 * A long array among the members of the outermost object, and where its text may be cut. Places are offsets in bytes.
 */
export interface LongArray {
  /** Of its opening bracket. */
  readonly from: number;
  /** Of commas between its entries, a piece apart. */
  readonly cuts: readonly number[];
  /** Just past its closing bracket. */
  readonly to: number;
}

/** Figures of the shortest number that a double may change. */
const LONG_NUMBER = 16;
/**
 * Plain bytes after which the rest of a string is searched as a whole: images are, texts full of escapes are walked.
 */
const PLAIN_RUN = 32;

/**
 * Walks the bytes of a JSON text, in as many strides as its caller likes, and counts what lies outside of its strings.
 * Refuses what is nested deeper than `JSON_DEPTH_MAX` or holds more than `JSON_VALUES_MAX` values. No byte of a longer
 * UTF-8 character looks like one of ASCII, so bytes serve as well as characters and need no decoding first.
 */
export class JsonScan {
  /** Colons outside of strings: one for each key. */
  keys = 0;
  /** A number that a double may not hold: sixteen figures or more, or an exponent. */
  hasLongNumber = false;
  /** In order. */
  readonly longArrays: LongArray[] = [];

  private index = 0;
  private isInString = false;
  private depth = 0;
  // Each value but the outermost follows a comma or what opens its array or object.
  private values = 0;
  private figures = 0;
  /**
   * Of the array of the second level that is being walked: where it opens, where its last piece begins, and its cuts.
   */
  private arrayFrom = 0;
  private pieceFrom = NOWHERE;
  private cuts: number[] = [];

  constructor(
    private readonly bytes: Buffer,
    private readonly pieceBytes = NOWHERE,
  ) {}

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
        // Between the run of plain bytes and the quote stand whole escapes only, so an even number of
        // backslashes leaves it alone.
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
      else if (code === COMMA || code === OPEN_BRACKET || code === OPEN_BRACE) {
        if (++this.values > JSON_VALUES_MAX) throw refuse(`has more than ${JSON_VALUES_MAX} values`);
        if (code === COMMA) {
          if (this.depth === 2 && index - this.pieceFrom > this.pieceBytes) this.cut(index);
        } else {
          if (++this.depth > JSON_DEPTH_MAX) throw refuse(`is nested deeper than ${JSON_DEPTH_MAX} levels`);
          if (this.depth === 2 && code === OPEN_BRACKET) this.arrayFrom = this.pieceFrom = index - 1;
        }
      } else if ((code === CLOSE_BRACKET || code === CLOSE_BRACE) && --this.depth === 1) {
        this.pieceFrom = NOWHERE;
        if (this.cuts.length > 0) this.keepCuts(code, index);
      }
    }
    this.index = index;
  }

  private cut(index: number): void {
    this.cuts.push(index - 1);
    this.pieceFrom = index;
  }

  /**
   * The second level was left. What a brace closes instead of a bracket is no JSON, and whoever parses it will say so.
   */
  private keepCuts(code: number, index: number): void {
    if (code === CLOSE_BRACKET) this.longArrays.push({ from: this.arrayFrom, cuts: this.cuts, to: index });
    this.cuts = [];
  }
}

function refuse(reason: string): GatewayError {
  return new GatewayError('invalid-request', `body: ${reason}`);
}
