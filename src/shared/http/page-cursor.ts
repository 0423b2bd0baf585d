import { hash } from 'node:crypto';
import { GatewayError } from '../../core/errors.js';

/** The position of an entry in a list that is ordered by time and id, newest first. */
export interface ListPosition {
  readonly at: Date;
  readonly id: string;
}

/** Everything that decides which entries a list has: its name, whose it is, its filters. */
export type ListQuery = Readonly<Record<string, string | number | null | undefined>>;

/** Characters of a cursor: several times those of any that is printed. */
export const CURSOR_CHARACTERS_MAX = 512;
/** Characters of the digest: 128 bits. */
const DIGEST_CHARACTERS = 22;

/**
 * The cursor of a page that begins below this position. It contains a digest of the query and of the position, so that
 * one of another query is noticed, and so is a change. It is no secret: who computes one gets what the query shows
 * anyway.
 */
export function printCursor(query: ListQuery, { at, id }: ListPosition): string {
  const position = [at.getTime(), id] as const;
  return Buffer.from(JSON.stringify([...position, digestOf(query, position)])).toString('base64url');
}

/** @throws GatewayError `invalid-request` for a text that `printCursor` has not printed for this query */
export function readCursor(query: ListQuery, text: string): ListPosition {
  const position = parse(text);
  // The decoder is lenient; only the exact printed form is accepted.
  if (position && printCursor(query, position) === text) return position;
  throw new GatewayError(
    'invalid-request',
    'cursor: must be the next_cursor of an earlier page of the same query, unchanged',
  );
}

function parse(text: string): ListPosition | undefined {
  try {
    const [at, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    if (typeof at !== 'number' || typeof id !== 'string') return undefined;
    const date = new Date(at);
    return Number.isNaN(date.getTime()) ? undefined : { at: date, id };
  } catch {
    return undefined;
  }
}

const digestOf = (query: ListQuery, position: readonly unknown[]): string =>
  hash('sha256', JSON.stringify([Object.entries(query).toSorted(), position]), 'base64url').slice(0, DIGEST_CHARACTERS);
