/** Characters of an unknown name that are compared: the caller's may be megabytes long. */
const COMPARED_MAX = 64;
/** Slips of the pen in a long name; in a short one, fewer than half its characters. */
const SLIPS_MAX = 3;

/** What is wrong with a field that nobody knows: names the known one that was probably meant. */
export function suggestField(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? 'is not a known field' : `is not a known field; did you mean ${nearest}?`;
}

/** The same, with the known ones where none of them was probably meant. */
export function suggestOrListFields(name: string, known: readonly string[]): string {
  const reason = suggestField(name, known);
  const isNear = nearestName(name, known) !== undefined;
  return isNear || known.length === 0 ? reason : `${reason}; the known ones are ${known.join(', ')}`;
}

/** @returns undefined where none is near enough to have been meant */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const asked = plain(name.slice(0, COMPARED_MAX));
  let nearest: string | undefined;
  let fewest = Math.min(SLIPS_MAX, Math.floor(asked.length / 2)) + 1;
  for (const candidate of known) {
    const slips = editDistance(asked, plain(candidate));
    if (slips >= fewest) continue;
    fewest = slips;
    nearest = candidate;
  }
  return nearest;
}

/** Case and hyphens are no difference: `limitReset` is `limit_reset` in another language's habit. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

/** Characters left out, added, replaced or swapped with their neighbour. */
function editDistance(one: string, other: string): number {
  let twoBack: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
        isSwapped && row > 1 ? twoBack[column - 2]! + 1 : Infinity,
      );
    }
    twoBack = last;
    last = current;
  }
  return last[other.length]!;
}
