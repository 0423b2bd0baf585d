import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../../core/errors.js';
import { shortened } from './schema.js';

/** Deepest nesting of arrays and objects in a body: everything recursive behind the door may rely on it. */
export const JSON_DEPTH_MAX = 200;
/**
 * Most values in a body, members and entries together. What a body costs is a matter of its values, not of its bytes: ten
 * megabytes of text are read in milliseconds, ten megabytes of `[],[],…` would hold up everybody else for seconds.
 */
export const JSON_VALUES_MAX = 200_000;

/**
 * Reads a body strictly. Refused with a 400 that says what and where: bytes that are not UTF-8, text that is not JSON, nesting
 * past `JSON_DEPTH_MAX`, more than `JSON_VALUES_MAX` values, keys given twice, lone surrogates, and `__proto__` outside of the caller's free-form JSON.
 *
 * The common body pays one linear scan, `JSON.parse` and one count of keys; the place of a fault is looked for only when there
 * is one.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw refuse('body: is empty; send a JSON object');
  if (!isUtf8(bytes)) throw refuse('body: is not valid UTF-8');
  const text = bytes.toString('utf8');
  const keysInText = countKeysInText(text);
  const value = parse(text);
  if (countKeys(value) !== keysInText) throw refuse(`${firstDuplicate(text)}: is given twice in one object`);
  // Not `includes`, which is slow on text full of backslashes.
  const isEscaped = UNICODE_ESCAPE.test(text);
  if (text.includes('__proto__') || (isEscaped && LETTER_ESCAPE.test(text))) refuseProto(value, '');
  if (isEscaped && SURROGATE_ESCAPE.test(text)) refuseLoneSurrogates(value, '');
  return value;
}

const UNICODE_ESCAPE = /\\u/;
// `__proto__` may be spelt with escapes.
const LETTER_ESCAPE = /\\u00[5-7]/;
// Raw lone surrogates cannot occur in valid UTF-8: only escapes can make one.
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Keys under which the caller's own JSON stands: there any name is the caller's business. */
const FREE_FORM = new Set(['input', 'input_schema', 'schema', 'parameters', 'properties', 'arguments']);

function refuse(message: string): GatewayError {
  return new GatewayError('invalid-request', message);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // V8 quotes the text around the fault: a body never goes into a message.
    const place = /position (\d+)/.exec((error as Error).message)?.[1];
    throw refuse(`body: is not valid JSON${place === undefined ? '' : ` (near position ${place})`}`);
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/** Colons outside of strings: one for each key. Checks the depth and the number of values on the way. */
function countKeysInText(text: string): number {
  let keys = 0;
  let depth = 0;
  // Each value but the outermost follows a comma or what opens its array or object.
  let values = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case COLON:
        keys++;
        break;
      case 44: // ,
        values++;
        break;
      case 91: // [
      case 123: // {
        values++;
        if (++depth > JSON_DEPTH_MAX) throw refuse(`body: is nested deeper than ${JSON_DEPTH_MAX} levels`);
        break;
      case 93: // ]
      case 125: // }
        depth--;
        break;
    }
    if (values > JSON_VALUES_MAX) throw refuse(`body: holds more than ${JSON_VALUES_MAX} values`);
  }
  return keys;
}

/** Plain characters after which the rest of a string is searched as a whole. */
const PLAIN_RUN = 32;

/**
 * Index of the quote that ends the string begun at `start`, or the text's end. Short and much-escaped strings are walked, where a
 * search for every quote would cost more; long plain ones, such as images, are searched, which is many times as fast.
 */
function endOfString(text: string, start: number): number {
  let plain = 0;
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) {
      index++;
      plain = 0;
    } else if (++plain === PLAIN_RUN) {
      const quote = text.indexOf('"', index + 1);
      if (quote === -1) break;
      let backslashes = 0;
      while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
      if (backslashes % 2 === 0) return quote;
      index = quote;
      plain = 0;
    }
  }
  return text.length;
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

/** Path of the first key that its object has already. The text is valid JSON, so its tokens can be walked simply. */
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
    if (key === '__proto__') throw refuse(`${path}__proto__: is not a known field`);
    if (!FREE_FORM.has(key)) refuseProto(inner, `${path}${shortened(key)}.`);
  }
}

function refuseLoneSurrogates(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed())
      throw refuse(`${path.slice(0, -1)}: holds a lone surrogate, which no UTF-8 text can carry`);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (!key.isWellFormed()) throw refuse(`${path.slice(0, -1) || 'body'}: has a key with a lone surrogate`);
      refuseLoneSurrogates(inner, `${path}${shortened(key)}.`);
    }
  }
}
