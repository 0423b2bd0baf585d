/**
 * By how much of a text was found: how much of the end of that is the beginning of the text, in UTF-16 units. What
 * looks for it goes on from there, in time linear in what it looks through (Knuth, Morris and Pratt), where `indexOf`
 * takes the product of both lengths for texts made for it.
 */
export function bordersOf(wanted: string): Uint32Array {
  const borders = new Uint32Array(wanted.length + 1);
  for (let length = 1, border = 0; length < wanted.length; length++) {
    while (border > 0 && wanted.charCodeAt(length) !== wanted.charCodeAt(border)) border = borders[border]!;
    if (wanted.charCodeAt(length) === wanted.charCodeAt(border)) border++;
    borders[length + 1] = border;
  }
  return borders;
}
