/** Longest piece, in UTF-16 units: a text without spaces still streams, and no event exceeds a reader's limit. */
const PIECE_LENGTH_MAX = 256;

/**
 * The words of a text, each with the white space after it, so that joined they are the text. The sandbox counts one
 * token a word.
 */
export function splitWords(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let inSpace = false;
  for (let index = 0; index < text.length; index++) {
    const isSpace = isWhiteSpace(text.charCodeAt(index));
    if ((inSpace && !isSpace) || index - start >= PIECE_LENGTH_MAX) {
      const cut = isLowSurrogate(text.charCodeAt(index)) ? index - 1 : index;
      pieces.push(text.slice(start, cut));
      start = cut;
    }
    inSpace = isSpace;
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}

/** The text in pieces of about this many UTF-16 units, never cut inside a character. */
export function splitEvery(text: string, length: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = isLowSurrogate(text.charCodeAt(start + length)) ? start + length + 1 : start + length;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

const isWhiteSpace = (unit: number): boolean => unit === 32 || (unit >= 9 && unit <= 13);

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
