/** Characters of an unknown name that are compared: the caller's may be megabytes long. */
const COMPARED_MAX = 64;
/** Typing errors in a long name; in a short one, fewer than half its characters. */
const TYPOS_MAX = 3;

/**
 * The known names that were probably meant, the nearest first, equally near ones in the given order.
 * @param count the most names that are returned
 * @param typosMax the most typing errors in a long name
 * @returns none where no name is near enough
 */
export function nearestNames(
  name: string,
  known: Iterable<string>,
  count: number,
  typosMax: number = TYPOS_MAX,
): readonly string[] {
  const wanted = plain(name.slice(0, COMPARED_MAX));
  const limit = Math.min(typosMax, Math.floor(wanted.length / 2));
  const near: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of known) {
    const distance = editDistance(wanted, plain(candidate));
    if (distance <= limit) near.push({ candidate, distance });
  }
  near.sort((one, other) => one.distance - other.distance);
  return near.slice(0, count).map(({ candidate }) => candidate);
}

/** Case and hyphens are ignored: `limitReset` is `limit_reset` in the style of another language. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

/** Counts characters that are missing, added, replaced or swapped with their neighbour. */
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
