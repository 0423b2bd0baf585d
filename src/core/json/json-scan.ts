import { randomInt } from 'node:crypto';
import { GatewayError } from '../errors.js';

/** Deepest nesting of arrays and objects in a body. All recursive code after the scan may rely on it. */
export const JSON_DEPTH_MAX = 200;
/**
 * Limit of values in a body, members and entries together: 100,000 messages of one block each, as many as a vendor
 * accepts. The cost of a body depends on its values, not its bytes: ten megabytes of text are read in milliseconds, ten
 * megabytes of `[],[],…` would block all other requests for seconds.
 */
export const JSON_VALUES_MAX = 700_000;
/** Limit of values that are read in one step: in one entry of a long list, or outside of all such entries. */
export const JSON_STEP_VALUES_MAX = 200_000;
/**
 * Limit of members of one object: the engine keeps larger ones in hash tables, which are expensive to fill and to walk.
 */
export const JSON_MEMBERS_MAX = 10_000;
/**
 * The approximate number of members from which the engine uses a hash table, and the limit of members beyond it, over
 * all objects.
 */
const WIDE_MEMBERS = 1_000;
export const JSON_WIDE_MEMBERS_MAX = 30_000;
/**
 * Limit of different member names in a body, over all objects. The engine keeps a shape for each order of names: new
 * shapes cost ten times as much as known ones.
 */
export const JSON_NAMES_MAX = 20_000;
/** Longest name of a member, as written. Chosen, far above any use. */
export const JSON_NAME_BYTES_MAX = 1024 * 1024;
/** No shorter text can have that many members: each takes two quotes, a colon, a value and a comma. */
const MANY_MEMBERS_BYTES = 5 * JSON_MEMBERS_MAX;

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

/** Marks a position at which no piece can begin. */
const NOWHERE = Infinity;

/**
 * A long array among the members of the outermost object, and the positions where its text may be cut. Positions are
 * offsets in bytes.
 */
export interface LongArray {
  /** Offset of the opening bracket. */
  readonly from: number;
  /** Commas between its entries, about a piece apart. */
  readonly cuts: readonly number[];
  /** Just past its closing bracket. */
  readonly to: number;
}

/**
 * A string with so many escapes that it takes long to read, and the positions where its text may be cut, as offsets in
 * bytes.
 */
export interface LongString {
  /** Just past its first quote. */
  readonly from: number;
  /** Ascending, about a piece apart; none is inside an escape or a character. */
  readonly cuts: readonly number[];
  /** Offset of the closing quote. */
  readonly to: number;
}

/** A string with more than one escape per this many bytes of a piece is a long one. */
const BYTES_PER_ESCAPE = 32;

/** Digits of the shortest number that a double may change. */
const LONG_NUMBER = 16;
/**
 * Plain bytes after which the rest of a string is searched as a whole: images are searched, texts full of escapes are
 * walked.
 */
const PLAIN_RUN = 32;

/** Size of the hash of a name; limit of the hashed bytes of one. */
const NAME_BITS = 18;
const NAME_BYTES = 256;
const NAME_FACTOR = randomInt(2 ** 30) * 2 + 1;
const NAME_START = randomInt(2 ** 31);

/**
 * A set of names by their hashes: colliding names count as one. Factor and start are random per process, so that
 * collisions cannot be constructed.
 */
class NameSet {
  size = 0;
  private readonly seen = new Uint8Array(2 ** (NAME_BITS - 3));

  add(bytes: Buffer, from: number, to: number): void {
    let hash = NAME_START;
    // A long name is hashed by its beginning and its length.
    const end = Math.min(to, from + NAME_BYTES);
    for (let index = from; index < end; index++) hash = Math.imul(hash ^ bytes[index]!, NAME_FACTOR) ^ (hash >>> 15);
    hash ^= to - from;
    const slot = Math.imul(hash, NAME_FACTOR) >>> (32 - NAME_BITS);
    const bit = 1 << (slot & 7);
    if ((this.seen[slot >>> 3]! & bit) !== 0) return;
    this.seen[slot >>> 3]! |= bit;
    this.size++;
  }
}

/**
 * Scans the bytes of a JSON text in any number of steps, and counts the structure outside of its strings. Refuses:
 * - nesting deeper than `JSON_DEPTH_MAX`
 * - more than `JSON_VALUES_MAX` values, or more than `JSON_STEP_VALUES_MAX` in one step
 * - an object of more than `JSON_MEMBERS_MAX` members, or more than `JSON_WIDE_MEMBERS_MAX` members in wide objects
 * - more than `JSON_NAMES_MAX` names
 *
 * No byte of a multi-byte UTF-8 character equals an ASCII character, so the bytes need no decoding first.
 */
export class JsonScan {
  /** Colons outside of strings: one for each key. */
  keys = 0;
  /** Whether a number occurs that a double may not hold: sixteen digits or more, or an exponent. */
  hasLongNumber = false;
  /** So far; each value but the outermost follows a comma or the opening of its array or object. */
  values = 0;
  /** Ascending. */
  readonly longArrays: LongArray[] = [];
  /** Ascending. */
  readonly longStrings: LongString[] = [];

  private index = 0;
  private isInString = false;
  private depth = 0;
  /** Values outside of pieces that were cut off, and their number before the current array. */
  private stepValues = 0;
  private valuesBefore = 0;
  /** Members of the object at each level, while the limit can still be exceeded. */
  private readonly members: Uint32Array | undefined;
  private readonly names: NameSet | undefined;
  private wideMembers = 0;
  /** The last walked string: the position after its first quote, and its last quote. */
  private stringFrom = 0;
  private stringTo = 0;
  private escapes = 0;
  private stringCuts: number[] = [];
  private stringPieceFrom = 0;
  private figures = 0;
  /** The current array at the second level: its opening, the start of its last piece, and its cuts. */
  private arrayFrom = 0;
  private pieceFrom = NOWHERE;
  private cuts: number[] = [];

  constructor(
    private readonly bytes: Buffer,
    private readonly pieceBytes = NOWHERE,
  ) {
    if (bytes.length < MANY_MEMBERS_BYTES) return;
    this.members = new Uint32Array(JSON_DEPTH_MAX + 1);
    this.names = new NameSet();
  }

  /** Continues for about `stride` bytes; false once the end is reached. */
  walk(stride: number): boolean {
    const end = Math.min(this.bytes.length, this.index + stride);
    while (this.index < end) {
      if (this.isInString) this.walkString(end);
      else this.walkStructure(end);
    }
    return this.index < this.bytes.length;
  }

  /** Stops past the quote that ends the string. */
  private walkString(end: number): void {
    const { bytes } = this;
    let plain = 0;
    for (let index = this.index; index < end; index++) {
      const code = bytes[index]!;
      if (code === QUOTE) {
        this.endString(index);
        return;
      }
      if (code === BACKSLASH) {
        if (index - this.stringPieceFrom > this.pieceBytes) this.cutString(index);
        this.escapes++;
        index++;
        plain = 0;
      } else if (++plain === PLAIN_RUN) {
        const quote = bytes.indexOf(QUOTE, index + 1);
        if (quote === -1) {
          this.index = bytes.length;
          return;
        }
        // Only whole escapes are between the run of plain bytes and the quote, so an even number of backslashes does
        // not escape it.
        let backslashes = 0;
        while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes++;
        this.index = quote + 1;
        if (backslashes % 2 === 0) {
          this.endString(quote);
          return;
        }
        index = quote;
        plain = 0;
      }
      this.index = index + 1;
    }
  }

  /** Called where an escape begins, so that neither a character nor another escape is cut. */
  private cutString(index: number): void {
    this.stringCuts.push(index);
    this.stringPieceFrom = index;
  }

  private endString(quote: number): void {
    this.isInString = false;
    this.stringTo = quote;
    this.index = quote + 1;
    if (this.escapes > this.pieceBytes / BYTES_PER_ESCAPE) {
      this.longStrings.push({ from: this.stringFrom, cuts: this.stringCuts, to: quote });
      this.stringCuts = [];
    } else if (this.stringCuts.length > 0) this.stringCuts = [];
    this.escapes = 0;
  }

  /** Stops past the quote that begins a string. */
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
        this.stringFrom = this.stringPieceFrom = index;
        break;
      }
      if (code === COLON) {
        this.keys++;
        // The string was a name: only values are read in pieces.
        if (this.longStrings.at(-1)?.to === this.stringTo) this.longStrings.pop();
        if (this.members && this.names) this.countMember(this.members, this.names);
      } else if (code === COMMA || code === OPEN_BRACKET || code === OPEN_BRACE) {
        if (++this.values > JSON_VALUES_MAX) throw refuse(`has more than ${JSON_VALUES_MAX} values`);
        if (++this.stepValues > JSON_STEP_VALUES_MAX)
          throw refuse(`has more than ${JSON_STEP_VALUES_MAX} values in one entry, or beside all entries`);
        if (code === COMMA) {
          if (this.depth === 2 && index - this.pieceFrom > this.pieceBytes) this.cut(index);
        } else {
          if (++this.depth > JSON_DEPTH_MAX) throw refuse(`is nested deeper than ${JSON_DEPTH_MAX} levels`);
          if (this.members) this.members[this.depth] = 0;
          if (this.depth === 2 && code === OPEN_BRACKET) {
            this.arrayFrom = this.pieceFrom = index - 1;
            this.valuesBefore = this.stepValues;
          }
        }
      } else if ((code === CLOSE_BRACKET || code === CLOSE_BRACE) && --this.depth === 1) {
        this.pieceFrom = NOWHERE;
        if (this.cuts.length > 0) this.keepCuts(code, index);
      }
    }
    this.index = index;
  }

  private countMember(members: Uint32Array, names: NameSet): void {
    const count = ++members[this.depth]!;
    if (count > JSON_MEMBERS_MAX) throw refuse(`has an object of more than ${JSON_MEMBERS_MAX} members`);
    if (count > WIDE_MEMBERS && ++this.wideMembers > JSON_WIDE_MEMBERS_MAX)
      throw refuse(`has more than ${JSON_WIDE_MEMBERS_MAX} members in objects of more than ${WIDE_MEMBERS}`);
    names.add(this.bytes, this.stringFrom, this.stringTo);
    if (this.stringTo - this.stringFrom > JSON_NAME_BYTES_MAX)
      throw refuse(`has a name of a member of more than ${JSON_NAME_BYTES_MAX} bytes`);
    if (names.size > JSON_NAMES_MAX) throw refuse(`has more than ${JSON_NAMES_MAX} different names of members`);
  }

  private cut(index: number): void {
    this.cuts.push(index - 1);
    this.pieceFrom = index;
    this.stepValues = this.valuesBefore;
  }

  /** Called at the end of the second level. A brace instead of a bracket is not JSON, which the parser will report. */
  private keepCuts(code: number, index: number): void {
    if (code === CLOSE_BRACKET) this.longArrays.push({ from: this.arrayFrom, cuts: this.cuts, to: index });
    this.cuts = [];
  }
}

function refuse(reason: string): GatewayError {
  return new GatewayError('invalid-request', `body: ${reason}`);
}
