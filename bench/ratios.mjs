// Figures of rounds by turns: this one's against that one's of the same round.

/** Of an even number the mean of both in the middle. */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[Math.floor(middle)];
}

/** @returns both medians, and the ratios of the rounds: their median, smallest and largest */
export function compareRounds(these, those) {
  const ratios = these.map((value, round) => value / those[round]);
  return {
    this: median(these),
    that: median(those),
    ratio: median(ratios),
    min: Math.min(...ratios),
    max: Math.max(...ratios),
  };
}

/** Of two in each round the first begins every other one, so that a drift of the machine falls on both: A B, B A, … */
export const turnOf = (pair, round) => (round % 2 === 0 ? pair : pair.toReversed());

/** The part by which a figure must fall for the compiler to count as still at work. */
const FALL = 0.02;
/** So many windows, at least, before and in which nothing falls any more. */
const STILL = 3;

/** Whether the figures of windows under load, one after the other, no longer fall. */
export function isSettled(windows) {
  if (windows.length <= STILL) return false;
  const before = Math.min(...windows.slice(0, -STILL));
  return Math.min(...windows.slice(-STILL)) > before * (1 - FALL);
}
