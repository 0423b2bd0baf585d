/**
 * For each length found of a text, the longest end of it that is also a beginning of the text, in UTF-16 units. A
 * search continues from there, in time linear in the searched text (Knuth, Morris and Pratt), whereas `indexOf` takes
 * the product of both lengths for adversarial texts.
 */
export function kmpFailureTable(wanted: string): Uint32Array {
  const failures = new Uint32Array(wanted.length + 1);
  for (let length = 1, matched = 0; length < wanted.length; length++) {
    while (matched > 0 && wanted.charCodeAt(length) !== wanted.charCodeAt(matched)) matched = failures[matched]!;
    if (wanted.charCodeAt(length) === wanted.charCodeAt(matched)) matched++;
    failures[length + 1] = matched;
  }
  return failures;
}
