import { JSON_DEPTH_MAX, JsonScan } from '../../core/json/json-scan.js';
import { parseJson, isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { parseInSteps } from '../../core/json/parse-in-steps.js';
import { printInSteps } from '../../core/json/print-in-pieces.js';
import type { Steps } from '../../core/steps.js';

/** Every level is opened and closed: a shorter text cannot be nested too deep. */
const SHALLOW_LENGTH = 2 * JSON_DEPTH_MAX;
/** Looked through at once. */
const STRIDE_BYTES = 512 * 1024;

/** An escape. The group is there where it is half of a surrogate pair whose other half is missing. */
const ESCAPE = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g;
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * The arguments as the object the vendor demands. Text that is no JSON object (a call that was cut off), or one that no
 * body may hold, is kept under a key of its own rather than lost.
 */
export function* encodeToolInput(input: Json | undefined): Steps<JsonObject> {
  if (isJsonObject(input)) return input;
  if (input === undefined || input === null) return {};
  if (typeof input !== 'string') return { arguments: input };
  return input.trim() === '' ? {} : ((yield* objectIn(input)) ?? { arguments: input });
}

/** The arguments as JSON text: the caller's own, byte for byte, where it gave text; `{}` where it gave none. */
export function* printToolInput(input: Json | undefined): Steps<string> {
  if (typeof input !== 'string') return yield* printInSteps(input ?? {});
  return input.trim() === '' ? '{}' : input;
}

function* objectIn(text: string): Steps<JsonObject | undefined> {
  try {
    // What stands in a text was not counted when the body was read.
    if (text.length > SHALLOW_LENGTH) {
      const scan = new JsonScan(Buffer.from(text));
      while (scan.walk(STRIDE_BYTES)) yield;
    }
    const parsed = yield* parseInSteps(Buffer.from(text), (piece) => parseJson(withoutLoneSurrogates(piece)));
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    // Cut-off arguments are an ordinary thing in histories.
    return undefined;
  }
}

/** JSON text with U+FFFD for each lone surrogate, which only an escape can be: the body's own were mended. */
const withoutLoneSurrogates = (text: string): string =>
  SURROGATE_ESCAPE.test(text)
    ? text.replace(ESCAPE, (escape, lone: string | undefined) => (lone === undefined ? escape : '\\ufffd'))
    : text;
