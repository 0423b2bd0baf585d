import { ProviderFault } from '../../core/errors.js';
import { isJsonObject, parseJson, printJson, weigh, type Json, type JsonObject } from '../../core/json/json.js';
import { printInSteps } from '../../core/json/print-in-pieces.js';
import type { Steps } from '../../core/steps.js';
import { LARGE } from '../../core/yield-to-event-loop.js';

const NOTHING: JsonObject = {};

/** A text that says something. */
export const nonEmpty = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The object there, or one without members: what an upstream leaves out reads as nothing. */
export const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : NOTHING);

/** The list there, or an empty one. */
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** A place in a text or a list. */
export const readPlace = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** A part of a whole; one that is larger than it is no figure. */
export const fitting = (part: number | undefined, whole: number | undefined): number | undefined =>
  part !== undefined && whole !== undefined && part <= whole ? part : undefined;

/**
 * JSON text of a value that an upstream sent as values.
 * @throws ProviderFault where it is nested deeper than can be printed: the parser takes more
 */
export function printed(value: Json): string {
  try {
    return printJson(value);
  } catch (error) {
    throw new ProviderFault('malformed-reply', "The provider's reply is nested too deep.", {}, { cause: error });
  }
}

/** The same, in steps where it is long. */
export function* printedInSteps(value: JsonObject): Steps<string> {
  return isLong(value) ? yield* printInSteps(value) : printed(value);
}

/** Whether a value's text is so long that it is printed in steps. Never of one that is nested too deep for it. */
export function isLong(value: JsonObject): boolean {
  try {
    return weigh(value, LARGE) >= LARGE;
  } catch {
    return false;
  }
}

/**
 * The object that an event of a stream holds; undefined where it holds something else.
 * @throws ProviderFault `malformed-reply`
 */
export function parseEvent(data: string): JsonObject | undefined {
  const value = parseEventValue(data);
  return isJsonObject(value) ? value : undefined;
}

/**
 * The value that an event of a stream holds.
 * @throws ProviderFault `malformed-reply`
 */
export function parseEventValue(data: string): Json {
  try {
    return parseJson(data) as Json;
  } catch (cause) {
    throw new ProviderFault('malformed-reply', 'The provider sent an event that is not valid JSON.', {}, { cause });
  }
}

/** @param complaint what the reply is, or lacks */
export const malformed = (complaint: string): ProviderFault =>
  new ProviderFault('malformed-reply', `The provider's reply ${complaint}.`);
