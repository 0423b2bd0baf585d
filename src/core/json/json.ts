import { randomBytes } from 'node:crypto';
import { Base64Text } from './base64-text.js';
import { endOfString } from './string-end.js';

/** Any JSON value, as `JSON.parse` makes it. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object. Its keys are the caller's: read own properties only. */
export type JsonObject = { readonly [key: string]: Json | undefined };

/** Not for an `ExactNumber`, which is a number. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/**
 * What core does not model, with the name of the wire format it came in. Only a face or dialect of that format reads
 * it; everyone else carries it untouched.
 */
export interface Opaque {
  readonly vendor: Vendor;
  readonly value: JsonObject;
}

/** The wire formats that values can be foreign in. */
export type Vendor = 'anthropic' | 'openai' | 'openai-responses' | 'google' | 'amazon' | 'cohere';

// Numbers that a double cannot hold, such as ids past 2⁵³, go through unharmed: they are read as `ExactNumber`
// and printed as they were spelt. All others are plain numbers (docs/decisions/0011). Node 20 gives no access
// to a number's source text.

/** Cannot be guessed, so that no text of a caller's is taken for a number. */
const MARK = `\u0000${randomBytes(12).toString('hex')}:`;
const PRINTED_MARK = new RegExp(`"${JSON.stringify(MARK).slice(1, -1).replaceAll('\\', '\\\\')}([^"]*)"`, 'g');

/** True while `printJson` prints. Printing is synchronous, so there is one at a time. */
let isPrintingExactly = false;
let hasPrintedMark = false;

/** A number as it was spelt. Whatever prints it otherwise than `printJson` prints the nearest double. */
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

/**
 * `JSON.parse`, but for numbers whose value a double would change.
 * @throws SyntaxError as `JSON.parse`
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!SUSPICIOUS.test(text)) return value;
  const marked = markLossyNumbers(text);
  return marked === undefined ? value : JSON.parse(marked, revive);
}

/** `JSON.stringify`, with every `ExactNumber` as it was spelt. */
export function printJson(value: Json | object): string {
  isPrintingExactly = true;
  hasPrintedMark = false;
  try {
    const text = JSON.stringify(value);
    return hasPrintedMark ? text.replace(PRINTED_MARK, '$1') : text;
  } finally {
    isPrintingExactly = false;
  }
}

/** What a value weighs besides its text: quotes, brackets, a number. */
const FRAME = 8;

/**
 * What `printJson` prints. Objects are those of this program: their keys may be undefined, as `JSON.stringify` has it.
 */
export type Printable = Json | object | undefined;

/**
 * About how many characters the text of a value has, escapes not counted. Stops where it has found `most`; of a string
 * it looks at the length.
 */
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
  const members = value as Readonly<Record<string, Printable>>;
  // Without a list of the keys: it would be memory for each object of a long conversation.
  for (const key in members) {
    const member = members[key];
    weight += key.length;
    if (typeof member === 'string') weight += FRAME + member.length;
    else weight += typeof member === 'object' ? weigh(member, most - weight) : FRAME;
    if (weight >= most) break;
  }
  return weight;
}

/** No number without such a piece is changed by a double: fewer than sixteen digits, and no exponent. */
const SUSPICIOUS = /\d(?:[\d.]{15}|[eE][+\-\d])/;

function revive(_key: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value;
}

const QUOTE = 34;
const MINUS = 45;
const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;
const NUMBER = /-?\d[\d.eE+-]*/y;

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
      if (isLossy(source)) {
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
  return !Number.isFinite(value) || canonical(source) !== canonical(String(value));
}

/** The same text for all spellings of one value: its digits without zeros around them, and the power of ten. */
function canonical(source: string): string {
  const [, sign, whole, fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source)!;
  const digits = (whole! + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  const exponent = Number(power);
  // No double has a power near it, and no text of a double is spelt so.
  if (!Number.isSafeInteger(exponent)) return source;
  return `${sign}${significant}e${exponent - fraction.length + digits.length - significant.length}`;
}

/** A loop: a pattern that is tied to the end is tried at every zero, which takes time squared. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === DIGIT_ZERO) end--;
  return digits.slice(0, end);
}
