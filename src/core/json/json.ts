import { randomBytes } from 'node:crypto';
import { Base64Text } from './base64-text.js';
import { endOfString } from './string-end.js';

/** Any JSON value, as returned by `JSON.parse`. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. Its keys are the caller's: read own properties only. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** False for an `ExactNumber`, which represents a number. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** Null, and an empty text, list or object. */
export const isEmptyJson = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0);

/**
 * A value that core does not model, with the name of the wire format it came in. Only a face or dialect of that format
 * reads it; all others pass it on untouched.
 */
export interface Opaque {
  readonly vendor: Vendor;
  readonly value: JsonObject;
}

/** The wire formats that opaque values can belong to. */
export type Vendor = 'anthropic' | 'openai' | 'openai-responses' | 'google' | 'amazon' | 'cohere';

// Numbers that a double cannot hold, such as ids past 2⁵³, pass through unchanged: they are read as `ExactNumber` and
// printed as they were written. All others are plain numbers (docs/contribute/decisions/0003). Node 20 gives no access
// to a number's source text.

/** Unpredictable, so that no text of a caller's is taken for a number. */
const MARK = `\u0000${randomBytes(12).toString('hex')}:`;
const PRINTED_MARK = new RegExp(`"${JSON.stringify(MARK).slice(1, -1).replaceAll('\\', '\\\\')}([^"]*)"`, 'g');

/** True while `printJson` runs. Printing is synchronous, so only one runs at a time. */
let isPrintingExactly = false;
let hasPrintedMark = false;
/** Texts of the lists that are being printed. */
let printedLists: string[] = [];
/** No number begins with it. */
const LIST_MARK = '[';

/** A number in its original spelling. Printed by anything but `printJson`, it becomes the nearest double. */
export class ExactNumber {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  toJSON(): number | string {
    if (!isPrintingExactly) return Number(this.#source);
    hasPrintedMark = true;
    return MARK + this.#source;
  }
}

/** A list of numbers in its original spelling. Printed by anything but `printJson`, it becomes numbers. */
export class NumberList {
  /**
   * @param text without whitespace
   * @param length how many numbers it has
   */
  constructor(
    readonly text: string,
    readonly length: number,
  ) {}

  toNumbers(): number[] {
    return JSON.parse(this.text) as number[];
  }

  toJSON(): number[] | string {
    if (!isPrintingExactly) return this.toNumbers();
    hasPrintedMark = true;
    // Inserted afterwards: `JSON.stringify` would scan its text.
    return `${MARK}${LIST_MARK}${printedLists.push(this.text) - 1}`;
  }
}

/**
 * `JSON.parse`, except for numbers whose value a double would change.
 * @throws SyntaxError as `JSON.parse`
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!SUSPICIOUS.test(text)) return value;
  const marked = markLossyNumbers(text);
  return marked === undefined ? value : JSON.parse(marked, revive);
}

/** `JSON.stringify`, with every `ExactNumber` and `NumberList` in its original spelling. */
export function printJson(value: Json | object): string {
  isPrintingExactly = true;
  hasPrintedMark = false;
  try {
    const text = JSON.stringify(value);
    return hasPrintedMark ? text.replace(PRINTED_MARK, sourceOf) : text;
  } finally {
    isPrintingExactly = false;
    if (printedLists.length > 0) printedLists = [];
  }
}

const sourceOf = (_: string, source: string): string =>
  source.startsWith(LIST_MARK) ? printedLists[Number(source.slice(LIST_MARK.length))]! : source;

/** Estimated characters of a value besides its text: quotes, brackets, a number. */
const FRAME = 8;

/** The input of `printJson`. Objects of this program may have undefined members, as for `JSON.stringify`. */
export type Printable = Json | object | undefined;

/** Estimates the characters of a value's text, without escapes. Stops at `most`; strings count by their length. */
export function weigh(value: Printable, most: number): number {
  if (typeof value === 'string') return value.length + FRAME;
  let weight = FRAME;
  if (typeof value !== 'object' || value === null) return weight;
  if (Array.isArray(value)) {
    for (const entry of value as readonly Printable[]) {
      if (typeof entry === 'string') weight += FRAME + entry.length;
      else weight += typeof entry === 'object' ? weigh(entry, most - weight) : FRAME;
      if (weight >= most) break;
    }
    return weight;
  }
  if (value instanceof Base64Text) return weight + value.length;
  if (value instanceof NumberList) return weight + value.text.length;
  const members = value as Readonly<Record<string, Printable>>;
  // `for…in` avoids allocating a list of keys for each object of a long conversation.
  for (const key in members) {
    const member = members[key];
    weight += key.length;
    if (typeof member === 'string') weight += FRAME + member.length;
    else weight += typeof member === 'object' ? weigh(member, most - weight) : FRAME;
    if (weight >= most) break;
  }
  return weight;
}

/** Only a number with a match can be changed by a double: sixteen digits, or an exponent. */
const SUSPICIOUS = /\d(?:[\d.]{15}|[eE][+\-\d])/;

function revive(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value;
}

const QUOTE = 34;
const MINUS = 45;
const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;
const NUMBER = /-?\d[\d.eE+-]*/y;
/** The shortest number that a double changes is one like `1e999`. */
const LOSSY_LENGTH_MIN = 5;

/** @returns undefined when there is none */
function markLossyNumbers(text: string): string | undefined {
  let marked = '';
  let done = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
    } else if (code === MINUS || (code >= DIGIT_ZERO && code <= DIGIT_NINE)) {
      NUMBER.lastIndex = index;
      const [source] = NUMBER.exec(text)!;
      if (source.length >= LOSSY_LENGTH_MIN && isLossy(source)) {
        marked += text.slice(done, index) + JSON.stringify(MARK + source);
        done = index + source.length;
      }
      index += source.length - 1;
    }
  }
  return done === 0 ? undefined : marked + text.slice(done);
}

/** @param source a number of the JSON grammar */
function isLossy(source: string): boolean {
  const value = Number(source);
  const printed = String(value);
  // Nearly every number is spelled as it is printed: those of a vector by the thousand.
  if (printed === source) return false;
  return !Number.isFinite(value) || canonical(source) !== canonical(printed);
}

/** Maps all spellings of one value to the same text: its digits without zeros around them, and the power of ten. */
function canonical(source: string): string {
  const [, sign, whole, fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source)!;
  const digits = (whole! + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  const exponent = Number(power);
  // No double has an exponent near this, and no text of a double is written this way.
  if (!Number.isSafeInteger(exponent)) return source;
  return `${sign}${significant}e${exponent - fraction.length + digits.length - significant.length}`;
}

/** A loop, because a pattern anchored at the end is tried at every zero, in quadratic time. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === DIGIT_ZERO) end--;
  return digits.slice(0, end);
}
