import type { Steps } from '../steps.js';
import { PIECE } from '../yield-to-event-loop.js';

const ESCAPE = /\\(?:u([\da-fA-F]{4})|(["\\/bfnrt]))/g;
/** The white space (or control character) of each letter escape. */
const SPACES: Readonly<Record<string, string>> = { b: ' ', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Decodes the escapes in printed JSON, or in a part of it, so that words are read as models read them; everything else
 * stays. The result is not JSON.
 */
export const unescapeJson = (json: string): string =>
  json.includes('\\')
    ? json.replaceAll(ESCAPE, (_, code: string | undefined, letter: string) =>
        code === undefined ? (SPACES[letter] ?? letter) : String.fromCharCode(parseInt(code, 16)),
      )
    : json;

/** `unescapeJson` in steps, for a text that may be long. */
export function* unescapeJsonInSteps(json: string): Steps<string> {
  if (json.length <= PIECE) return unescapeJson(json);
  const parts: string[] = [];
  for (let start = 0; start < json.length;) {
    if (start > 0) yield;
    const end = start + PIECE >= json.length ? json.length : cutBefore(json, start, start + PIECE);
    parts.push(unescapeJson(json.slice(start, end)));
    start = end;
  }
  return parts.join('');
}

/** Length of the longest escape after its backslash. */
const ESCAPE_REST = 5;

/** The last position up to `end` that no escape spans. @param start such a position, well before */
function cutBefore(json: string, start: number, end: number): number {
  const last = json.lastIndexOf('\\', end - 1);
  if (last < Math.max(start, end - ESCAPE_REST)) return end;
  let first = last;
  while (first > start && json[first - 1] === '\\') first--;
  // Two backslashes are one escape.
  return (last - first) % 2 === 0 ? last : end;
}
