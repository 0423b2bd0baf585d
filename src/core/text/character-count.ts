/** Number of characters (code points) of a text; an unpaired surrogate is one. */
export function characterCount(text: string): number {
  let pairs = 0;
  for (let index = 1; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xdc00) continue;
    if ((text.charCodeAt(index - 1) & 0xfc00) === 0xd800) pairs++;
  }
  return text.length - pairs;
}
