import type { Steps } from '../steps.js';
import { LARGE, PIECE } from '../yield-to-event-loop.js';
import { JSON_DEPTH_MAX } from './json-scan.js';
import { parseJson } from './json.js';

/** Values of one piece, whatever their length: those of many names are dear. */
const PIECE_VALUES = 2_000;
/** Bytes that are looked through before others have their turn. */
const LOOKED_BYTES = 512 * 1024;
/** Most members of one object of a long text: what has more takes too long to grow. Chosen, far above any use. */
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
/** Bytes of a string that is read bit by bit. */
const LONG_STRING = 2 * PIECE;
/** What cannot be cut is no longer: each level may hold a string or members that are just no pieces by themselves. */
const UNCUT_MAX = JSON_DEPTH_MAX * (PIECE + LONG_STRING);
/** Plain bytes of a string after which the rest of it is searched as a whole. */
const PLAIN_RUN = 32;
/** Bytes of the longest escape. */
const ESCAPE_BYTES = 6;
/** The escape of a first half of a surrogate pair, whose second half may follow. */
const FIRST_HALF = /^\\u[dD][89abAB]/;

type Members = Record<string, unknown>;

/** An array or object that has begun. */
interface Open {
  readonly isArray: boolean;
  /** Of its bracket or brace. */
  readonly start: number;
  /** What was parsed of it; undefined while it is to be parsed along with what it stands in. */
  value: unknown[] | Members | undefined;
  /** Where the part of it begins that was not parsed. */
  from: number;
  /** Where the member begins that is being looked at. */
  memberFrom: number;
  /** Of its name: the quotes, and the colon behind it. */
  nameFrom: number;
  nameTo: number;
  colon: number;
  /** Of values before `from`. */
  values: number;
  members: number;
  /** The member that is being looked at is parsed by itself: only its value, or what is behind it, is left. */
  isApart: boolean;
}

/**
 * What `parse` makes of a JSON text: of a short one at once, of a long one in pieces that are put together, wherever in
 * it they stand: members of arrays and objects some at a time, long strings bit by bit.
 * @param parse of a piece; throws a SyntaxError for what is no JSON
 * @throws SyntaxError for what is no JSON; in long texts also for what is nested deeper than `JSON_DEPTH_MAX`
 */
export function* parseInSteps(bytes: Buffer, parse: (text: string) => unknown = parseJson): Steps<unknown> {
  if (bytes.length < LARGE) return parse(bytes.toString('utf8'));
  return yield* new LongText(bytes, parse).read();
}

class LongText {
  private readonly open: Open[] = [];
  /** The outermost value, once it was parsed. */
  private whole: { readonly value: unknown } | undefined;
  private index = 0;
  private values = 0;
  /** A piece, since others had their turn. */
  private hasParsed = false;
  private isInString = false;
  /** Of the string that was looked at last: its quotes. */
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
      // A long member of nothing else, such as a number: with what it stands in.
      if (this.open.length === 0) this.end(this.parse(this.text(top.start, index + 1)), top.start, index + 1);
      return;
    }
    if (top.isApart) this.goOn(top, index);
    else this.takeMembers(top, index);
    this.put(this.open.length - 1, top.value, top.start, index + 1);
  }

  /** Behind a member that was parsed by itself, at a comma or at the end. */
  private goOn(top: Open, index: number): void {
    this.assertBlank(top.from, index);
    top.isApart = false;
    top.from = index + 1;
    top.values = this.values;
  }

  /** Parses what has come of an array or object, and what it stands in as far as the member that it is. */
  private take(depth: number, to: number): void {
    this.part(depth);
    const top = this.open[depth]!;
    this.takeMembers(top, to);
    top.from = to + 1;
  }

  /** From here on it is put together by itself, and so is all that it stands in. */
  private part(depth: number): void {
    const top = this.open[depth]!;
    if (top.value !== undefined) return;
    top.value = top.isArray ? [] : {};
    if (depth > 0) this.setApart(depth - 1);
  }

  /** The member that is being looked at is to be parsed by itself; those before it are now. */
  private setApart(depth: number): void {
    this.part(depth);
    const one = this.open[depth]!;
    if (one.isApart) return;
    if (one.memberFrom > one.from) this.takeMembers(one, one.memberFrom - 1);
    one.isApart = true;
    one.from = one.memberFrom;
  }

  /** Parses members, one at least. */
  private takeMembers(top: Open, to: number): void {
    const text = this.text(top.from, to);
    this.hasParsed = true;
    top.values = this.values;
    if (top.isArray) {
      const entries = this.parse(`[${text}]`) as unknown[];
      if (entries.length === 0) throw broken();
      // One by one: a call does not take as many arguments as there may be.
      for (const entry of entries) (top.value as unknown[]).push(entry);
      return;
    }
    const members = this.parse(`{${text}}`) as Members;
    const names = Object.keys(members);
    if (names.length === 0) throw broken();
    this.countMembers(top, names.length);
    for (const name of names) define(top.value as Members, name, members[name]);
  }

  private countMembers(top: Open, more: number): void {
    top.members += more;
    if (top.members > MEMBERS_MAX) throw new SyntaxError(`An object has more than ${MEMBERS_MAX} members.`);
  }

  /** Puts a value that was parsed by itself where it stands. */
  private put(depth: number, value: unknown, from: number, to: number): void {
    const one = this.open[depth];
    if (!one) {
      this.end(value, from, to);
      return;
    }
    if (one.isArray) {
      this.assertBlank(one.memberFrom, from);
      (one.value as unknown[]).push(value);
    } else {
      const name = this.nameBefore(one, from);
      this.countMembers(one, 1);
      define(one.value as Members, name, value);
    }
    one.from = to;
  }

  private end(value: unknown, from: number, to: number): void {
    if (this.whole) throw broken();
    this.assertBlank(0, from);
    this.assertBlank(to, this.bytes.length);
    this.whole = { value };
  }

  /** As far as the string's end, or some way of it. */
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
        // Between the run of plain bytes and the quote stand whole escapes only.
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

  /** How many there are in a row. @param least where the search ends */
  private backslashesBefore(index: number, least: number): number {
    let count = 0;
    while (index - 1 - count >= least && this.bytes[index - 1 - count] === BACKSLASH) count++;
    return count;
  }

  /** Puts a long string where it stands; not one that is a name. */
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
   * The last place up to `index` that is neither within a character nor within its escapes.
   * @param from such a place
   */
  private cutBefore(index: number, from: number): number {
    if (index === this.stringTo) return index;
    let cut = index;
    while ((this.bytes[cut]! & 0xc0) === 0x80) cut--;
    const backslash = this.bytes.lastIndexOf(BACKSLASH, cut - 1);
    if (backslash < cut - ESCAPE_BYTES || backslash < from) return cut;
    // The last of an odd number begins an escape.
    if (this.backslashesBefore(backslash + 1, from) % 2 === 0) return cut;
    const isWhole = backslash === cut - ESCAPE_BYTES;
    return isWhole && !FIRST_HALF.test(this.bytes.toString('latin1', backslash, cut)) ? cut : backslash;
  }

  /** The name of the member that is being looked at. @param to where its value begins */
  private nameBefore({ memberFrom, nameFrom, nameTo, colon }: Open, to: number): string {
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

const broken = (): SyntaxError => new SyntaxError('This is no JSON text.');

/** A name may be `__proto__`, which is one like any other. */
function define(members: Members, name: string, value: unknown): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}
