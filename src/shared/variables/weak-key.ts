/** Words in keys that people make up. A random key may contain one by chance, with enough other characters. */
const WORDS =
  /change.?me|pass.?word|passwd|secret|let.?me.?in|qwerty|azerty|admin|default|example|fairlead|management|inference|test|demo|key/gi;
/** Prefix of keys that this gateway generates: adding it to a made-up key does not make that stronger. */
const PREFIX = /^sk-fl-v1-/;
/** Minimum of different characters in a key, without predictable ones. One of 16 hexadecimal digits has ten. */
const DISTINCT_MIN = 8;

/**
 * Whether a key looks chosen rather than random: too few different characters remain without common words, repetitions
 * and sequences. A key that passes is not proven strong.
 */
export function looksGuessable(key: string): boolean {
  const rest = [...key.replace(PREFIX, '').replace(WORDS, '').toLowerCase()];
  const unforeseen = rest.filter((character, index) => {
    const step = character.codePointAt(0)! - (rest[index - 1]?.codePointAt(0) ?? Infinity);
    return !(Math.abs(step) <= 1);
  });
  return new Set(unforeseen).size < DISTINCT_MIN;
}
