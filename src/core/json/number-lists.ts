import { randomBytes } from 'node:crypto';
import type { Steps } from '../steps.js';
import { LARGE } from '../yield-to-event-loop.js';
import { NumberList, parseJson } from './json.js';
import { parseInSteps } from './parse-in-steps.js';

/** Unpredictable, so that no text of a provider's is taken for a stand-in. */
const STAND_IN = `number-list-${randomBytes(12).toString('hex')}-`;
/** Shorter lists are parsed as such, and so are those of more bytes: they take steps. */
const LIST_LENGTH_MIN = 16;
const LIST_BYTES_MAX = 256 * 1024;
/** Longest whitespace between two tokens; a list with more is parsed as such. */
const WHITESPACE_MAX = 256;
/** Longest number; a list with a longer one is parsed as such. */
const NUMBER_BYTES_MAX = 256;
/** Bytes that are read or searched between yields. */
const STEP_BYTES = 512 * 1024;
/** The largest float32 has 39 digits. A number with fewer before its point, and no exponent, is one. */
const DIGITS_MAX = 38;

const SPACE = 32;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const LOWER_E = 101;
/** Sets the bit by which lower-case letters differ. */
const LOWER = 32;

// Past the end a byte is undefined, and in no range.
const isDigit = (byte: number | undefined): boolean => byte! >= ZERO && byte! <= NINE;
const isWhitespace = (byte: number | undefined): boolean =>
  byte! <= SPACE && (byte === SPACE || byte === 10 || byte === 13 || byte === 9);

/** The lists that were taken out of a text. */
export class NumberLists {
  private readonly lists: NumberList[] = [];

  /** @returns the text that represents it */
  add(list: NumberList): string {
    return `${STAND_IN}${this.lists.push(list) - 1}`;
  }

  /** The list that a value represents. */
  find(value: unknown): NumberList | undefined {
    return typeof value === 'string' && value.startsWith(STAND_IN)
      ? this.lists[Number(value.slice(STAND_IN.length))]
      : undefined;
  }
}

/** A value with lists of numbers apart. */
export interface ParsedWithLists {
  readonly value: unknown;
  /** Finds the lists by the texts that represent them in the value. */
  readonly lists: NumberLists;
}

/**
 * `parseJson` in steps, except for long lists of numbers that float32 can hold: they are neither parsed nor printed
 * again, which takes a tenth of the time.
 * @param names of the members that are such lists, or lists of them. Each ends with a letter
 * @throws SyntaxError as `JSON.parse`
 */
export function* parseWithNumberLists(bytes: Buffer, names: readonly string[]): Steps<ParsedWithLists> {
  const lists = new NumberLists();
  const rest: Buffer[] = [];
  const scan = new ListScan(bytes, names);
  let done = 0;
  let yielded = 0;
  for (;;) {
    const isList = scan.advance();
    if (isList) {
      rest.push(bytes.subarray(done, scan.start), Buffer.from(`"${lists.add(scan.list())}"`));
      done = scan.end;
    } else if (isList === undefined) break;
    if (scan.at - yielded < STEP_BYTES) continue;
    yielded = scan.at;
    yield;
  }
  rest.push(bytes.subarray(done));
  const text = rest.length > 1 ? Buffer.concat(rest) : bytes;
  return { value: text.length < LARGE ? parseJson(text.toString('utf8')) : yield* parseInSteps(text), lists };
}

/** Finds a name in a text, each part of which is searched once. */
class MemberSearch {
  /** Index of the next name; Infinity: there is none before `searched`. */
  position = Infinity;
  private searched = 0;

  constructor(private readonly name: Buffer) {}

  get length(): number {
    return this.name.length;
  }

  /** @param until the name may begin before it */
  search(bytes: Buffer, from: number, until: number): void {
    if (this.position !== Infinity && this.position >= from) return;
    this.position = Infinity;
    const start = Math.max(from, this.searched);
    if (start >= until) return;
    const found = bytes.subarray(0, until + this.name.length - 1).indexOf(this.name, start);
    this.position = found === -1 ? Infinity : found;
    this.searched = found === -1 ? until : found + 1;
  }
}

/** Finds one long list of numbers after the other. */
class ListScan {
  /** The range of the list: from its bracket to behind the other one. */
  start = 0;
  end = 0;
  /** All before it is searched. */
  at = 0;
  private length = 0;
  private hasWhitespace = false;
  /** A list of lists has begun, and another inner one may follow. */
  private isInner = false;
  private readonly members: readonly MemberSearch[];

  constructor(
    private readonly bytes: Buffer,
    names: readonly string[],
  ) {
    this.members = names.map((name) => new MemberSearch(Buffer.from(`"${name}"`)));
  }

  /** @returns whether a list was found; undefined: there is none left */
  advance(): boolean | undefined {
    if (this.isInner) return this.readInner(this.at);
    const member = this.nextMember();
    if (member === undefined) return this.at < this.bytes.length ? false : undefined;
    // The quote behind a letter neither begins a string nor is escaped: what follows is in no string.
    const colon = this.skip(member);
    const bracket = this.bytes[colon] === COLON ? this.skip(colon + 1) : -1;
    this.at = member;
    if (this.bytes[bracket] !== OPEN_BRACKET) return false;
    const first = this.skip(bracket + 1);
    if (this.bytes[first] !== OPEN_BRACKET) return this.read(bracket);
    this.isInner = true;
    return this.readInner(first);
  }

  list(): NumberList {
    const text = this.bytes.toString('latin1', this.start, this.end);
    return new NumberList(this.hasWhitespace ? text.replaceAll(/\s/g, '') : text, this.length);
  }

  /** @returns the index behind the next name within a step; undefined: there is none */
  private nextMember(): number | undefined {
    const until = Math.min(this.bytes.length, this.at + STEP_BYTES);
    let next: MemberSearch | undefined;
    for (const member of this.members) {
      member.search(this.bytes, this.at, until);
      if (member.position < until && (!next || member.position < next.position)) next = member;
    }
    this.at = next ? next.position : until;
    return next && next.position + next.length;
  }

  private readInner(bracket: number): boolean {
    const isList = this.read(bracket);
    const comma = isList ? this.skip(this.end) : -1;
    const next = this.bytes[comma] === COMMA ? this.skip(comma + 1) : -1;
    this.isInner = this.bytes[next] === OPEN_BRACKET;
    if (this.isInner) this.at = next;
    return isList;
  }

  /** Whether a long list of numbers begins at this bracket. */
  private read(bracket: number): boolean {
    const { bytes } = this;
    const most = bracket + LIST_BYTES_MAX;
    this.hasWhitespace = false;
    let length = 0;
    let at = this.skip(bracket + 1);
    for (;;) {
      const end = at > most ? -1 : this.endOfNumber(at);
      this.at = Math.max(at, bracket + 1);
      if (end === -1) return false;
      length++;
      at = this.skip(end);
      const byte = bytes[at];
      if (byte === CLOSE_BRACKET) break;
      if (byte !== COMMA) return false;
      at = this.skip(at + 1);
    }
    this.at = at + 1;
    if (length < LIST_LENGTH_MIN) return false;
    this.start = bracket;
    this.end = at + 1;
    this.length = length;
    return true;
  }

  private skip(from: number): number {
    let at = from;
    const most = from + WHITESPACE_MAX;
    while (at < most && isWhitespace(this.bytes[at])) at++;
    if (at !== from) this.hasWhitespace = true;
    return at;
  }

  /** @returns the index behind a number of JSON that float32 can hold; -1: there is none */
  private endOfNumber(from: number): number {
    const { bytes } = this;
    let at = bytes[from] === MINUS ? from + 1 : from;
    const first = at;
    const most = from + NUMBER_BYTES_MAX;
    while (at < most && isDigit(bytes[at])) at++;
    if (at === first || (bytes[first] === ZERO && at > first + 1)) return -1;
    let isCertain = at - first <= DIGITS_MAX;
    if (bytes[at] === POINT) {
      const point = at++;
      while (at < most && isDigit(bytes[at])) at++;
      if (at === point + 1) return -1;
    }
    if (((bytes[at] ?? 0) | LOWER) === LOWER_E) {
      at++;
      if (bytes[at] === MINUS) at++;
      else {
        isCertain = false;
        if (bytes[at] === PLUS) at++;
      }
      const exponent = at;
      while (at < most && isDigit(bytes[at])) at++;
      if (at === exponent) return -1;
    }
    return isCertain || Number.isFinite(Math.fround(Number(bytes.toString('latin1', from, at)))) ? at : -1;
  }
}
