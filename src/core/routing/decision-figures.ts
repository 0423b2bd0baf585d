const DIGITS_MIN = 3;
const DIGITS_MAX = 17;

/**
 * Rounds figures to as few digits as tell the same: different ones stay different, so that their order holds, and none changes its
 * side of the cut-off.
 */
export function roundedAlike(figures: readonly number[], cutoff?: number): readonly number[] {
  const different = new Set(figures).size;
  for (let digits = DIGITS_MIN; digits < DIGITS_MAX; digits++) {
    const rounded = figures.map((figure) => Number(figure.toPrecision(digits)));
    if (new Set(rounded).size === different && rounded.every((figure, index) => alike(figure, figures[index]!, cutoff)))
      return rounded;
  }
  return figures;
}

const alike = (rounded: number, figure: number, cutoff: number | undefined): boolean =>
  cutoff === undefined || Math.sign(rounded - cutoff) === Math.sign(figure - cutoff);
