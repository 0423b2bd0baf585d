/** Longest piece of the caller's text in a message, in characters: the text may be megabytes long. */
const QUOTED_CHARACTERS_MAX = 64;

/** A key, name or id of the caller's as errors show it: whole, or its beginning. */
export function shortened(key: string): string {
  if (key.length <= QUOTED_CHARACTERS_MAX) return key;
  // Twice as many units certainly contain that many characters, so that none is cut in half.
  const characters = Array.from(key.slice(0, 2 * QUOTED_CHARACTERS_MAX));
  return `${characters.slice(0, QUOTED_CHARACTERS_MAX).join('')}…`;
}
