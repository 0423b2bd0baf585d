import { hash } from 'node:crypto';

/** Longest id of an end user that stands for itself, in characters. */
const CHARACTERS_MAX = 256;

/**
 * An end user's id, or the hash of a longer one, which still distinguishes users: one format sets no limit, but records
 * and vendors do.
 */
export function shortEndUser(id: string): string {
  const isShort =
    id.length <= CHARACTERS_MAX || (id.length <= 2 * CHARACTERS_MAX && Array.from(id).length <= CHARACTERS_MAX);
  return isShort ? id : hash('sha256', id, 'hex');
}
