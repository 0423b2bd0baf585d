import type { Steps } from '../steps.js';
import { LARGE, PIECE } from '../yield-to-event-loop.js';
import { JSON_DEPTH_MAX } from './json-scan.js';
import { parseJson } from './json.js';

/** Limit of values of one piece, whatever their length: values with many names are expensive. */
const PIECE_VALUES = 2_000;
/** Bytes that are scanned between yields. */
const LOOKED_BYTES = 512 * 1024;
/** Limit of members of one object of a long text: a larger object takes too long to grow. Chosen, far above any use. */
const MEMBERS_MAX = 100_000;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const WHITESPACE: ReadonlySet<number | undefined> = new Set([9, 10, 13, 32]);
/** Strings of more bytes are read in parts. */
const LONG_STRING = 2 * PIECE;
/**
 * Upper bound of text that cannot be cut: each level may hold a string or members that are just too short to be pieces.
 */
const UNCUT_MAX = JSON_DEPTH_MAX * (PIECE + LONG_STRING);
/** Plain bytes of a string after which the rest of it is searched with `indexOf`. */
const PLAIN_RUN = 32;
/** Bytes of the longest escape. */
const ESCAPE_BYTES = 6;
/** The escape of the first half of a surrogate pair, which its second half may follow. */
const FIRST_HALF = /^\\u[dD][89abAB]/;

type Members = Record<string, unknown>;

/** An array or object whose end has not been reached. */
interface OpenContainer {
  readonly isArray: boolean;
  /** Position of its bracket or brace. */
  readonly start: number;
  /** The part parsed so far; undefined while it waits to be parsed together with its parent. */
  value: unknown[] | Members | undefined;
  /** Index of the first unparsed character. */
  from: number;
  /** Index of the current member. */
  memberFrom: number;
  /** The name of the current member: its quotes, and the colon after it. */
  nameFrom: number;
  nameTo: number;
  colon: number;
  /** Number of values before `from`. */
  values: number;
  members: number;
  /** The current member is parsed separately: only its value, or the text after it, is left. */
  isApart: boolean;
}

/**
 * Returns the same as `parse` of the whole JSON text. A short text is parsed at once, a long one in pieces at any
 * level: members of arrays and objects some at a time, long strings in parts.
 * @param parse of a piece; throws a SyntaxError for a text that is not JSON
 * @throws SyntaxError for a text that is not JSON; in long texts also for nesting deeper than `JSON_DEPTH_MAX`
 */
export function* parseInSteps(bytes: Buffer, parse: (text: string) => unknown = parseJson): Steps<unknown> {
  if (bytes.length < LARGE) return parse(bytes.toString('utf8'));
  return yield* new LongText(bytes, parse).read();
}

class LongText {
  private readonly open: OpenContainer[] = [];
  /** The outermost value, once it is parsed. */
  private whole: { readonly value: unknown } | undefined;
  private index = 0;
  private values = 0;
  /** Whether a piece was parsed since the last yield. */
  private hasParsed = false;
  private isInString = false;
  /** The quotes of the string that was scanned last. */
  private stringFrom = 0;
  private stringTo = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly parse: (text: string) => unknown,
  ) {}

  *read(): Steps<unknown> {
    const { bytes } = this;
    let yieldedAt = 0;
    while (this.index < bytes.length) {
      if (this.index - yieldedAt > LOOKED_BYTES || this.hasParsed) {
        yield;
        yieldedAt = this.index;
        this.hasParsed = false;
      }
      if (this.isInString) {
        this.walkString();
        if (!this.isInString && this.stringTo - this.stringFrom > LONG_STRING) yield* this.readString();
        continue;
      }
      const index = this.index++;
      switch (bytes[index]!) {
        case QUOTE:
          this.isInString = true;
          this.stringFrom = index;
          break;
        case COLON:
          this.name(index);
          break;
        case COMMA:
          this.comma(index);
          break;
        case OPEN_BRACKET:
        case OPEN_BRACE:
          this.begin(index);
          break;
        case CLOSE_BRACKET:
        case CLOSE_BRACE:
          this.close(index);
      }
    }
    if (this.open.length > 0 || this.isInString) throw broken();
    return this.whole === undefined ? this.parse(this.text(0, bytes.length)) : this.whole.value;
  }

  private begin(index: number): void {
    this.values++;
    if (this.open.length >= JSON_DEPTH_MAX) throw new SyntaxError(`It is nested deeper than ${JSON_DEPTH_MAX} levels.`);
    const isArray = this.bytes[index] === OPEN_BRACKET;
    const from = index + 1;
    this.open.push({
      isArray,
      start: index,
      value: undefined,
      from,
      memberFrom: from,
      nameFrom: -1,
      nameTo: -1,
      colon: -1,
      values: this.values,
      members: 0,
      isApart: false,
    });
  }

  private name(colon: number): void {
    const top = this.open.at(-1);
    if (!top) throw broken();
    top.nameFrom = this.stringFrom;
    top.nameTo = this.stringTo;
    top.colon = colon;
  }

  private comma(index: number): void {
    const top = this.open.at(-1);
    if (!top) throw broken();
    this.values++;
    if (top.isApart) this.goOn(top, index);
    else if (index - top.from > PIECE || this.values - top.values > PIECE_VALUES)
      this.take(this.open.length - 1, index);
    top.memberFrom = index + 1;
  }

  private close(index: number): void {
    const top = this.open.pop();
    if (top?.isArray !== (this.bytes[index] === CLOSE_BRACKET)) throw broken();
    if (top.value === undefined) {
      // A single long value, such as a number, is parsed together with its parent.
      if (this.open.length === 0) this.end(this.parse(this.text(top.start, index + 1)), top.start, index + 1);
      return;
    }
    if (top.isApart) this.goOn(top, index);
    else this.takeMembers(top, index);
    this.put(this.open.length - 1, top.value, top.start, index + 1);
  }

  /** Called after a member that was parsed separately, at a comma or at the end. */
  private goOn(top: OpenContainer, index: number): void {
    this.assertBlank(top.from, index);
    top.isApart = false;
    top.from = index + 1;
    top.values = this.values;
  }

  /** Parses the text so far of an array or object, and of its parents up to it. */
  private take(depth: number, to: number): void {
    this.part(depth);
    const top = this.open[depth]!;
    this.takeMembers(top, to);
    top.from = to + 1;
  }

  /** From here on this level, and all its parents, are assembled separately. */
  private part(depth: number): void {
    const top = this.open[depth]!;
    if (top.value !== undefined) return;
    top.value = top.isArray ? [] : {};
    if (depth > 0) this.setApart(depth - 1);
  }

  /** Starts to parse the current member separately; the members before it are parsed now. */
  private setApart(depth: number): void {
    this.part(depth);
    const container = this.open[depth]!;
    if (container.isApart) return;
    if (container.memberFrom > container.from) this.takeMembers(container, container.memberFrom - 1);
    container.isApart = true;
    container.from = container.memberFrom;
  }

  /** Parses members, at least one. */
  private takeMembers(top: OpenContainer, to: number): void {
    const text = this.text(top.from, to);
    this.hasParsed = true;
    top.values = this.values;
    if (top.isArray) {
      const entries = this.parse(`[${text}]`) as unknown[];
      if (entries.length === 0) throw broken();
      // One by one: there may be more entries than a call can take arguments.
      for (const entry of entries) (top.value as unknown[]).push(entry);
      return;
    }
    const members = this.parse(`{${text}}`) as Members;
    const names = Object.keys(members);
    if (names.length === 0) throw broken();
    this.countMembers(top, names.length);
    for (const name of names) define(top.value as Members, name, members[name]);
  }

  private countMembers(top: OpenContainer, more: number): void {
    top.members += more;
    if (top.members > MEMBERS_MAX) throw new SyntaxError(`An object has more than ${MEMBERS_MAX} members.`);
  }

  /** Inserts a value that was parsed separately. */
  private put(depth: number, value: unknown, from: number, to: number): void {
    const container = this.open[depth];
    if (!container) {
      this.end(value, from, to);
      return;
    }
    if (container.isArray) {
      this.assertBlank(container.memberFrom, from);
      (container.value as unknown[]).push(value);
    } else {
      const name = this.nameBefore(container, from);
      this.countMembers(container, 1);
      define(container.value as Members, name, value);
    }
    container.from = to;
  }

  private end(value: unknown, from: number, to: number): void {
    if (this.whole) throw broken();
    this.assertBlank(0, from);
    this.assertBlank(to, this.bytes.length);
    this.whole = { value };
  }

  /** Advances to the string's end, or part of the way. */
  private walkString(): void {
    const { bytes } = this;
    const end = Math.min(bytes.length, this.index + LOOKED_BYTES);
    let plain = 0;
    let index = this.index;
    for (; index < end; index++) {
      const code = bytes[index];
      if (code === QUOTE) return this.endString(index);
      if (code === BACKSLASH) {
        index++;
        plain = 0;
      } else if (++plain === PLAIN_RUN) {
        const quote = bytes.indexOf(QUOTE, index + 1);
        if (quote === -1) throw broken();
        // Only whole escapes are between the run of plain bytes and the quote.
        if (this.backslashesBefore(quote, index) % 2 === 0) return this.endString(quote);
        index = quote;
        plain = 0;
      }
    }
    this.index = index;
  }

  private endString(quote: number): void {
    this.isInString = false;
    this.stringTo = quote;
    this.index = quote + 1;
  }

  /** The number of consecutive backslashes. @param least where the search ends */
  private backslashesBefore(index: number, least: number): number {
    let count = 0;
    while (index - 1 - count >= least && this.bytes[index - 1 - count] === BACKSLASH) count++;
    return count;
  }

  /** Reads a long string and inserts it, unless it is a name. */
  private *readString(): Steps<void> {
    const { stringFrom, stringTo } = this;
    let behind = stringTo + 1;
    while (WHITESPACE.has(this.bytes[behind]) && behind - stringTo < PIECE) behind++;
    if (this.bytes[behind] === COLON) return;
    let string = '';
    for (let from = stringFrom + 1; from < stringTo;) {
      const to = this.cutBefore(Math.min(from + PIECE, stringTo), from);
      string += this.parse(`"${this.text(from, to)}"`) as string;
      from = to;
      yield;
    }
    if (this.open.length > 0) this.setApart(this.open.length - 1);
    this.put(this.open.length - 1, string, stringFrom, stringTo + 1);
  }

  /**
   * The last position up to `index` that is neither within a character nor within its escapes.
   * @param from such a position
   */
  private cutBefore(index: number, from: number): number {
    if (index === this.stringTo) return index;
    let cut = index;
    while ((this.bytes[cut]! & 0xc0) === 0x80) cut--;
    const backslash = this.bytes.lastIndexOf(BACKSLASH, cut - 1);
    if (backslash < cut - ESCAPE_BYTES || backslash < from) return cut;
    // The last backslash of an odd number begins an escape.
    if (this.backslashesBefore(backslash + 1, from) % 2 === 0) return cut;
    const isWhole = backslash === cut - ESCAPE_BYTES;
    return isWhole && !FIRST_HALF.test(this.bytes.toString('latin1', backslash, cut)) ? cut : backslash;
  }

  /** The name of the current member. @param to where its value begins */
  private nameBefore({ memberFrom, nameFrom, nameTo, colon }: OpenContainer, to: number): string {
    if (nameFrom < memberFrom) throw broken();
    this.assertBlank(memberFrom, nameFrom);
    this.assertBlank(nameTo + 1, colon);
    this.assertBlank(colon + 1, to);
    return this.parse(this.text(nameFrom, nameTo + 1)) as string;
  }

  private assertBlank(from: number, to: number): void {
    if (to - from > LARGE) throw broken();
    for (let index = from; index < to; index++) if (!WHITESPACE.has(this.bytes[index])) throw broken();
  }

  private text(from: number, to: number): string {
    if (to - from > UNCUT_MAX) throw broken();
    return this.bytes.toString('utf8', from, to);
  }
}

const broken = (): SyntaxError => new SyntaxError('It is not JSON.');

/** Treats `__proto__` as an ordinary name. */
function define(members: Members, name: string, value: unknown): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}
