import { JSON_DEPTH_MAX, JsonScan } from '../../core/json/json-scan.js';
import { parseJson, isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { parseInSteps } from '../../core/json/parse-in-steps.js';
import { printInSteps } from '../../core/json/print-in-pieces.js';
import type { Steps } from '../../core/steps.js';

/** Each level needs two brackets, so a shorter text cannot be nested too deep. */
const SHALLOW_LENGTH = 2 * JSON_DEPTH_MAX;
/** Bytes that are searched in one step. */
const STRIDE_BYTES = 512 * 1024;

/** An escape. The group matches a surrogate without its other half. */
const ESCAPE = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[^])/g;
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * The arguments as the object that the vendor requires. Text that is not a JSON object (a cut-off call), or one too
 * deep for a body, is kept under a separate key instead of being lost.
 */
export function* encodeToolInput(input: Json | undefined): Steps<JsonObject> {
  if (isJsonObject(input)) return input;
  if (input === undefined || input === null) return {};
  if (typeof input !== 'string') return { arguments: input };
  return input.trim() === '' ? {} : ((yield* objectIn(input)) ?? { arguments: input });
}

/** The arguments as JSON text: the caller's own text unchanged, `{}` where there is none. */
export function* printToolInput(input: Json | undefined): Steps<string> {
  if (typeof input !== 'string') return yield* printInSteps(input ?? {});
  return input.trim() === '' ? '{}' : input;
}

function* objectIn(text: string): Steps<JsonObject | undefined> {
  try {
    // The body reader did not count nesting inside a text.
    if (text.length > SHALLOW_LENGTH) {
      const scan = new JsonScan(Buffer.from(text));
      while (scan.walk(STRIDE_BYTES)) yield;
    }
    const parsed = yield* parseInSteps(Buffer.from(text), (piece) => parseJson(withoutLoneSurrogates(piece)));
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    // Cut-off arguments are common in histories.
    return undefined;
  }
}

/**
 * JSON text with U+FFFD for each lone surrogate. Only escapes can be lone surrogates: the body reader replaced the
 * others.
 */
const withoutLoneSurrogates = (text: string): string =>
  SURROGATE_ESCAPE.test(text)
    ? text.replace(ESCAPE, (escape, lone: string | undefined) => (lone === undefined ? escape : '\\ufffd'))
    : text;
