/** What people put into keys that they make up. A drawn key may hold one by chance, and enough beside it. */
const WORDS =
  /change.?me|pass.?word|passwd|secret|let.?me.?in|qwerty|azerty|admin|default|example|fairlead|management|inference|test|demo|key/gi;
/** How the keys begin that this gateway makes: whoever writes it before his own makes that no better. */
const PREFIX = /^sk-fl-v1-/;
/** Different characters that a key has, without what can be foreseen. One of 16 hexadecimal digits has ten. */
const DISTINCT_MIN = 8;

/**
 * Whether a key looks chosen rather than drawn: it has too few different characters beside common words and those that
 * repeat the one before or count on from it. What passes is not proven strong.
 */
export function looksGuessable(key: string): boolean {
  const rest = [...key.replace(PREFIX, '').replace(WORDS, '').toLowerCase()];
  const unforeseen = rest.filter((character, index) => {
    const step = character.codePointAt(0)! - (rest[index - 1]?.codePointAt(0) ?? Infinity);
    return !(Math.abs(step) <= 1);
  });
  return new Set(unforeseen).size < DISTINCT_MIN;
}
