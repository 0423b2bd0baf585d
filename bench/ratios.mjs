// Figures of alternating rounds: each figure is compared with that of the same round.

/** For an even number, the mean of the two middle values. */
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

/** The order of a pair alternates from round to round, so that drift of the machine affects both: A B, B A, … */
export const turnOf = (pair, round) => (round % 2 === 0 ? pair : pair.toReversed());

/** The decrease of a figure that counts as a sign of the compiler at work. */
const FALL = 0.02;
/** Number of consecutive windows without a decrease. */
const STILL = 3;

/** Whether the figures of consecutive windows under load no longer decrease. */
export function isSettled(windows) {
  if (windows.length <= STILL) return false;
  const before = Math.min(...windows.slice(0, -STILL));
  return Math.min(...windows.slice(-STILL)) > before * (1 - FALL);
}
