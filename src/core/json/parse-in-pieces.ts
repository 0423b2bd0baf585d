import { randomBytes } from 'node:crypto';
import type { JsonScan, LongArray } from './json-scan.js';
import { LongStrings } from './long-strings.js';

/** Bytes between yields: about a millisecond's work. */
const TURN_BYTES = 256 * 1024;

/** Unpredictable, so that no array of a caller's under a duplicate key is taken for a stand-in. */
const STAND_IN = `long-array-${randomBytes(12).toString('hex')}-`;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
const WHITESPACE: ReadonlySet<number | undefined> = new Set([9, 10, 13, 32]);

/**
 * Parses a long text in pieces: first its long strings, then the entries of its long arrays, some at a time, and last
 * the rest, in which placeholders replace both. Returns undefined for a text that is not JSON or is ambiguous: the
 * caller then parses it as a whole.
 *
 * The pieces are checked as strictly as the whole text. Each is parsed as a list of at least one entry; the cuts are at
 * commas between entries if the text is JSON; and the text around the pieces is parsed as well.
 * @param parse throws a SyntaxError for a text that is not JSON
 */
export function* parseInPieces(
  bytes: Buffer,
  { longArrays, longStrings }: Pick<JsonScan, 'longArrays' | 'longStrings'>,
  parse: (text: string) => unknown,
): Generator<undefined, unknown> {
  try {
    const strings = new LongStrings(bytes, longStrings);
    yield* strings.read(parse);
    const arrays: [key: string, entries: unknown[]][] = [];
    let rest = '';
    let done = 0;
    for (const array of longArrays) {
      rest += `${strings.text(done, array.from)}["${STAND_IN}${arrays.length}"]`;
      done = array.to;
      arrays.push([keyBefore(bytes, array.from), yield* parseEntries(strings, array, parse)]);
    }
    yield;
    const value = parse(rest + strings.text(done, bytes.length)) as Record<string, unknown>;
    const filled = arrays.every(([key, entries], index) => fill(value, key, STAND_IN + index, entries));
    return filled && strings.fill(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function* parseEntries(
  strings: LongStrings,
  { from, cuts, to }: LongArray,
  parse: (text: string) => unknown,
): Generator<undefined, unknown[]> {
  const entries: unknown[] = [];
  let start = from + 1;
  let yieldedAt = from;
  for (const cut of [...cuts, to - 1]) {
    const piece = parse(`[${strings.text(start, cut)}]`) as unknown[];
    if (piece.length === 0) throw new SyntaxError('An entry is missing.');
    // One by one: there may be more entries than a call can take arguments.
    for (const entry of piece) entries.push(entry);
    if (cut - yieldedAt > TURN_BYTES) {
      yield;
      yieldedAt = cut;
    }
    start = cut + 1;
  }
  return entries;
}

/** Replaces a stand-in by its array. @returns false if another value is there: the key was given twice */
function fill(value: Record<string, unknown>, key: string, standIn: string, entries: unknown[]): boolean {
  const there = Object.hasOwn(value, key) ? value[key] : undefined;
  if (!Array.isArray(there) || there[0] !== standIn) return false;
  // The own property exists, so assignment is safe for `__proto__` too.
  value[key] = entries;
  return true;
}

/** The key whose value begins at `index`. */
function keyBefore(bytes: Buffer, index: number): string {
  const colon = beforeSpace(bytes, index);
  const end = beforeSpace(bytes, colon);
  if (bytes[colon] !== COLON || bytes[end] !== QUOTE) throw new SyntaxError('A key is missing.');
  let start = end - 1;
  while (start >= 0 && !(bytes[start] === QUOTE && bytes[start - 1] !== BACKSLASH)) start--;
  return JSON.parse(bytes.toString('utf8', start, end + 1)) as string;
}

/** Index of the last byte before `index` that is not white space. */
function beforeSpace(bytes: Buffer, index: number): number {
  let last = index - 1;
  while (WHITESPACE.has(bytes[last])) last--;
  return last;
}
