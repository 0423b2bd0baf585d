import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.js';
import { shortened } from '../shortened.js';
import { LARGE, yieldToEventLoop, PIECE } from '../yield-to-event-loop.js';
import { JSON_DEPTH_MAX, JsonScan } from './json-scan.js';
import { parseJson } from './json.js';
import { parseInPieces } from './parse-in-pieces.js';
import { endOfString } from './string-end.js';

/** Bytes scanned in one step: a few milliseconds in the worst case (text full of escapes, slow machine). */
const STRIDE_BYTES = 512 * 1024;
/** More values than this take more than a few milliseconds to read, however short they are. */
const MANY_VALUES = 20_000;
/** A text of fewer bytes has fewer values than that, and its objects have too few members to be refused. */
const SHORT_BYTES = MANY_VALUES;

/**
 * Parses a body strictly. Refused with a 400 that names cause and position: bytes that are not UTF-8, text that is not
 * JSON, nesting deeper than `JSON_DEPTH_MAX`, more than `JSON_VALUES_MAX` values, repeated keys, keys with lone
 * surrogates, and `__proto__` outside of the caller's free-form JSON.
 *
 * A lone surrogate in a text becomes U+FFFD: otherwise half an emoji in a history would end the conversation for good.
 * A closed body contains no history and is refused for it. In a closed body `__proto__` is an ordinary key, which its
 * reader refuses like any unknown one.
 *
 * A body costs one linear scan, `JSON.parse` and one count of keys; a short one needs no scan. The position of a fault
 * is searched only when there is one.
 */
export function parseJsonBody(bytes: Buffer, isClosed = false): unknown {
  const short = bytes.length < SHORT_BYTES ? readShort(bytes) : undefined;
  if (short !== undefined) return short;
  const reading = steps(bytes, isClosed, scanOf(bytes));
  for (let step = reading.next(); ; step = reading.next()) if (step.done) return step.value;
}

/**
 * `parseJsonBody`, in steps for a body of many bytes or many values: other requests are served between the steps.
 * Returns a promise only for such a body.
 */
export function readJsonBody(bytes: Buffer, isClosed = false): unknown {
  const short = bytes.length < SHORT_BYTES ? readShort(bytes) : undefined;
  if (short !== undefined) return short;
  const scan = scanOf(bytes);
  const reading = steps(bytes, isClosed, scan);
  for (let step = reading.next(); ; step = reading.next()) {
    if (step.done) return step.value;
    if (bytes.length >= LARGE || scan.values > MANY_VALUES) return inTurns(reading);
  }
}

/**
 * The value of a short text that can be proven valid without a scan. Undefined where the proof fails: then the scan
 * decides, and names the fault.
 *
 * The proof that no key is repeated counts colons. Each colon of a text follows a key or is inside a string. A repeated
 * key, which `JSON.parse` drops, has a colon in the text and none in the value. An escape could add a colon to the
 * value alone, so the scan reads texts with such escapes.
 */
function readShort(bytes: Buffer): object | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  if (UNICODE_ESCAPE.test(text) || text.includes('__proto__')) return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  return colonsOf(value, JSON_DEPTH_MAX) === colonsIn(text) ? value : undefined;
}

/**
 * The number of colons in the text of a value without escaped colons: one for each key, plus those in its strings. NaN
 * for a value that is nested deeper than `levels`.
 */
function colonsOf(value: object, levels: number): number {
  if (levels === 0) return NaN;
  let colons = 0;
  if (Array.isArray(value)) {
    for (const entry of value as unknown[]) {
      if (typeof entry === 'object' && entry !== null) colons += colonsOf(entry, levels - 1);
      else if (typeof entry === 'string' && entry.includes(':')) colons += colonsIn(entry);
    }
    return colons;
  }
  // `for…in` avoids allocating a list of keys for each object.
  for (const key in value) {
    colons++;
    if (key.includes(':')) colons += colonsIn(key);
    const member = (value as Record<string, unknown>)[key];
    if (typeof member === 'object' && member !== null) colons += colonsOf(member, levels - 1);
    else if (typeof member === 'string' && member.includes(':')) colons += colonsIn(member);
  }
  return colons;
}

function colonsIn(text: string): number {
  let colons = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) colons++;
  return colons;
}

async function inTurns(reading: Generator<undefined, unknown>): Promise<unknown> {
  for (;;) {
    await yieldToEventLoop();
    const step = reading.next();
    if (!step.done) continue;
    await yieldToEventLoop();
    return step.value;
  }
}

const scanOf = (bytes: Buffer): JsonScan => new JsonScan(bytes, bytes.length < MANY_VALUES ? undefined : PIECE);

function* steps(bytes: Buffer, isClosed: boolean, scan: JsonScan): Generator<undefined, unknown> {
  if (bytes.length === 0) throw refuse('body: is empty; send a JSON object');
  if (!isUtf8(bytes)) throw refuse('body: is not valid UTF-8');
  while (scan.walk(STRIDE_BYTES)) yield;
  yield;
  const { hasLongNumber, longArrays, longStrings, values } = scan;
  const suspected: Suspected = { proto: false, loneSurrogate: false };
  let value: unknown;
  if (longStrings.length + longArrays.length > 0 && (bytes.length >= LARGE || values > MANY_VALUES)) {
    value = yield* parseInPieces(bytes, scan, (piece) => {
      suspect(piece, suspected);
      return parseText(piece, hasLongNumber);
    });
  }
  // Any failure of the pieces is reported from the whole text.
  if (value === undefined) {
    const whole = bytes.toString('utf8');
    yield;
    try {
      value = parseText(whole, hasLongNumber);
    } catch (error) {
      throw noJson(error as Error);
    }
    yield* suspectWhole(whole, suspected);
  }
  yield;
  if (countKeys(value) !== scan.keys)
    throw refuse(`${firstDuplicate(bytes.toString('utf8'))}: is given twice in one object`);
  if (suspected.proto && !isClosed) refuseProto(value, '');
  if (!suspected.loneSurrogate) return value;
  return isClosed ? refuseLoneSurrogates(value, '') : mendLoneSurrogates(value, '');
}

/** Drops V8's message, which quotes the text around the fault: a body must never appear in a message. */
function noJson({ message }: Error): GatewayError {
  const position = /position (\d+)/.exec(message)?.[1];
  return refuse(`body: is not valid JSON${position === undefined ? '' : ` (near position ${position})`}`);
}

const UNICODE_ESCAPE = /\\u/;
// `__proto__` may be written with escapes.
const LETTER_ESCAPE = /\\u00[5-7]/;
// Valid UTF-8 contains no raw lone surrogates: only escapes can produce one.
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Forbidden values that a text certainly or possibly contains, and that its parsed form must be searched for. */
interface Suspected {
  proto: boolean;
  loneSurrogate: boolean;
}

/**
 * Parses the text of a body, or of one piece of it.
 * @throws SyntaxError
 */
const parseText = (text: string, hasLongNumber: boolean): unknown =>
  hasLongNumber ? parseJson(text) : JSON.parse(text);

function suspect(text: string, suspected: Suspected): void {
  // A regular expression, because `includes` is slow on text full of backslashes.
  const isEscaped = UNICODE_ESCAPE.test(text);
  if (text.includes('__proto__') || (isEscaped && LETTER_ESCAPE.test(text))) suspected.proto = true;
  if (isEscaped && SURROGATE_ESCAPE.test(text)) suspected.loneSurrogate = true;
}

/** Bytes searched at once. */
const SUSPECT_STRIDE = 1024 * 1024;
/** The searched patterns are shorter than this. */
const SUSPECT_OVERLAP = 16;

function* suspectWhole(text: string, suspected: Suspected): Generator<undefined, void> {
  for (let from = 0; from < text.length; from += SUSPECT_STRIDE) {
    yield;
    suspect(text.slice(from, from + SUSPECT_STRIDE + SUSPECT_OVERLAP), suspected);
  }
}

/** Keys whose values are the caller's own JSON, with arbitrary names. */
const FREE_FORM = new Set(['input', 'input_schema', 'schema', 'parameters', 'properties', 'arguments']);

/** The path of tags, whose names are the caller's too (docs/use/tags.md#in-the-body): `__proto__` is one of them. */
const TAGS_PATH = 'trace.tags.';

function refuse(message: string): GatewayError {
  return new GatewayError('invalid-request', message);
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) keys += countKeys(item);
    return keys;
  }
  for (const key of Object.keys(value)) {
    keys++;
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && inner !== null) keys += countKeys(inner);
  }
  return keys;
}

const COLON_AHEAD = /\s*:/y;

/** Path of the first duplicate key. The text is valid JSON, so its tokens can be walked simply. */
function firstDuplicate(text: string): string {
  const open: { keys: Set<string>; path: string; index: number; isArray: boolean; pending: string }[] = [];
  for (let index = 0; index < text.length; index++) {
    const top = open.at(-1);
    const char = text[index];
    if (char === '{' || char === '[') {
      const path = top ? `${top.path}${top.isArray ? top.index : top.pending}.` : '';
      open.push({ keys: new Set(), path, index: 0, isArray: char === '[', pending: '' });
    } else if (char === '}' || char === ']') open.pop();
    else if (char === ',' && top) top.index++;
    else if (char === '"') {
      const end = endOfString(text, index);
      COLON_AHEAD.lastIndex = end + 1;
      if (top && !top.isArray && COLON_AHEAD.test(text)) {
        const key = JSON.parse(text.slice(index, end + 1)) as string;
        if (top.keys.has(key)) return `${top.path}${shortened(key)}`;
        top.keys.add(key);
        top.pending = shortened(key);
      }
      index = end;
    }
  }
  return 'body';
}

function refuseProto(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__' && path !== TAGS_PATH) throw refuse(`${path}__proto__: is not a known field`);
    if (!FREE_FORM.has(key)) refuseProto(inner, `${path}${shortened(key)}.`);
  }
}

/** Returns the value unchanged if all its texts are well-formed. */
function refuseLoneSurrogates(value: unknown, path: string): unknown {
  if (typeof value === 'string' && !value.isWellFormed())
    throw refuse(`${path.slice(0, -1)}: contains a lone surrogate, which no UTF-8 text can carry`);
  return eachMember(value, path, refuseLoneSurrogates);
}

/** Replaces lone surrogates by U+FFFD: objects and lists are changed in place. */
const mendLoneSurrogates = (value: unknown, path: string): unknown =>
  typeof value === 'string' ? value.toWellFormed() : eachMember(value, path, mendLoneSurrogates);

/** @throws GatewayError for keys with lone surrogates: after a replacement two keys could be equal */
function eachMember(value: unknown, path: string, read: (member: unknown, path: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) {
    if (!key.isWellFormed()) throw refuse(`${path.slice(0, -1) || 'body'}: has a key with a lone surrogate`);
    const before = members[key];
    const after = read(before, `${path}${shortened(key)}.`);
    // Defined, not assigned: a key may be `__proto__`.
    if (after !== before) Object.defineProperty(members, key, { value: after });
  }
  return value;
}
