import { ProviderFault } from '../../core/errors.js';
import { isJsonObject, parseJson, printJson, weigh, type Json, type JsonObject } from '../../core/json/json.js';
import { printInSteps } from '../../core/json/print-in-pieces.js';
import type { Steps } from '../../core/steps.js';
import { LARGE } from '../../core/yield-to-event-loop.js';

const NOTHING: JsonObject = {};

/** A text that is not empty. */
export const nonEmpty = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The object, or one without members: a missing object reads as an empty one. */
export const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : NOTHING);

/** The list there, or an empty one. */
export const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** A position in a text or a list. */
export const readIndex = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** A part of a total; undefined where it exceeds the total. */
export const fitting = (part: number | undefined, whole: number | undefined): number | undefined =>
  part !== undefined && whole !== undefined && part <= whole ? part : undefined;

/**
 * The JSON text of a parsed value.
 * @throws ProviderFault where it is nested deeper than the printer permits: the parser accepts more
 */
export function printed(value: Json): string {
  try {
    return printJson(value);
  } catch (error) {
    throw new ProviderFault('malformed-reply', "The provider's reply is nested too deep.", {}, { cause: error });
  }
}

/** Prints a value like `printed`; a long one in steps. */
export function* printedInSteps(value: JsonObject): Steps<string> {
  return isLong(value) ? yield* printInSteps(value) : printed(value);
}

/**
 * Whether a value is so long that it is printed in steps. Never true of one that is nested too deep for the printer.
 */
export function isLong(value: JsonObject): boolean {
  try {
    return weigh(value, LARGE) >= LARGE;
  } catch {
    return false;
  }
}

/**
 * The object in an event of a stream; undefined for any other value.
 * @throws ProviderFault `malformed-reply`
 */
export function parseEvent(data: string): JsonObject | undefined {
  const value = parseEventValue(data);
  return isJsonObject(value) ? value : undefined;
}

/**
 * The value in an event of a stream.
 * @throws ProviderFault `malformed-reply`
 */
export function parseEventValue(data: string): Json {
  try {
    return parseJson(data) as Json;
  } catch (cause) {
    throw new ProviderFault('malformed-reply', 'The provider sent an event that is not valid JSON.', {}, { cause });
  }
}

/** @param complaint what is wrong with the reply */
export const malformed = (complaint: string): ProviderFault =>
  new ProviderFault('malformed-reply', `The provider's reply ${complaint}.`);
