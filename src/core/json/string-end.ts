const QUOTE = 34;
const BACKSLASH = 92;
/** Plain characters after which the rest of a string is searched with `indexOf`. */
const PLAIN_RUN = 32;

/**
 * Index of the quote that ends the string begun at `start`, or the text's end. Short and heavily escaped strings are
 * walked, where a search for every quote would cost more; long plain ones, such as images, are searched, which is many
 * times as fast.
 */
export function endOfString(text: string, start: number): number {
  let plain = 0;
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) {
      index++;
      plain = 0;
    } else if (++plain === PLAIN_RUN) {
      const quote = text.indexOf('"', index + 1);
      if (quote === -1) break;
      let backslashes = 0;
      while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
      if (backslashes % 2 === 0) return quote;
      index = quote;
      plain = 0;
    }
  }
  return text.length;
}
