import { isJsonObject, type Json } from '../../core/json/json.js';

/** Largest entry sent between replicas, in characters of its text. */
export const ENTRY_CHARACTERS_MAX = 4096;

/** The entry of a key. Without a value the key was withdrawn. */
export interface Entry<T> {
  readonly value?: T;
  /** Epoch milliseconds; later than any write to the key known to the writer, whatever its clock shows. */
  readonly writtenAt: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Chooses one of two concurrent values: above 0 the first, below 0 the second; 0 leaves it to the time of writing. */
export type MergeRule = (first: Entry<unknown>, second: Entry<unknown>) => number;

export const laterDeadline: MergeRule = (first, second) => first.expiresAt - second.expiresAt;
export const laterWrite: MergeRule = () => 0;

/** Above 0: the first wins. 0: they are equal. The result is the same on every replica, in any order of arrival. */
export function compareEntries(first: Entry<unknown>, second: Entry<unknown>, merge: MergeRule): number {
  const isWithdrawn = first.value === undefined;
  if (isWithdrawn || second.value === undefined) {
    return first.writtenAt - second.writtenAt || Number(isWithdrawn) - Number(second.value === undefined);
  }
  return (
    merge(first, second) ||
    first.writtenAt - second.writtenAt ||
    compareTexts(JSON.stringify(first.value), JSON.stringify(second.value))
  );
}

const compareTexts = (first: string, second: string): number => (first === second ? 0 : first > second ? 1 : -1);

export function printEntry({ value, writtenAt, expiresAt }: Entry<unknown>): string {
  return JSON.stringify({ value, writtenAt, expiresAt });
}

/**
 * Parses an entry from another replica; undefined for anything that is not an entry.
 * @param latest upper bound of valid times of writing and expiry, in epoch milliseconds
 */
export function readEntry<T>(
  text: string,
  latest: number,
  readValue: (value: Json) => T | undefined,
): Entry<T> | undefined {
  if (text.length > ENTRY_CHARACTERS_MAX) return undefined;
  const json = parse(text);
  if (!isJsonObject(json)) return undefined;
  const { value, writtenAt, expiresAt } = json;
  if (typeof writtenAt !== 'number' || typeof expiresAt !== 'number') return undefined;
  if (writtenAt > latest || expiresAt > latest) return undefined;
  if (value === undefined) return { writtenAt, expiresAt };
  const read = readValue(value);
  return read === undefined ? undefined : { value: read, writtenAt, expiresAt };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
