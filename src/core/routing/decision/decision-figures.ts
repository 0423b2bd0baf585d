import type { DecisionRecord } from './decision-record.js';
import type { EndpointHealth } from '../health.js';
import type { Plan } from '../plan.js';
import type { Sort } from '../preferences.js';
import type { RouteNeeds } from '../route-inputs.js';

export type Figures = Readonly<Record<string, number>> | undefined;

/** Records the figures by which legs were sorted. @param refs the legs in written form */
export function recordFigures(
  { legs }: Plan,
  refs: readonly string[],
  needs: RouteNeeds,
): Pick<DecisionRecord, 'latency' | 'throughput' | 'faults'> {
  const figures = (sort: Sort, read: (health: EndpointHealth) => number | undefined, cutoff?: number): Figures =>
    sortsAnyBy(needs, sort)
      ? figuresBy(
          refs,
          legs.map(({ model, health }) => (health && isSortedBy(needs, model.id, sort) ? read(health) : undefined)),
          cutoff,
        )
      : undefined;
  const { preferredMaxLatency, preferredMinThroughput } = needs.preferences;
  return {
    latency: figures('latency', ({ latency }) => latency?.p50, preferredMaxLatency?.p50),
    throughput: figures('throughput', ({ throughput }) => throughput?.p50, preferredMinThroughput?.p50),
    faults: figures('exacto', ({ faultShare }) => faultShare),
  };
}

export const sortsAnyBy = (needs: RouteNeeds, sort: Sort): boolean =>
  needs.models.some(({ id }) => isSortedBy(needs, id, sort));

/** Where all models are sorted together, the sort of any model may decide for all. */
export function isSortedBy({ models, preferences }: RouteNeeds, model: string, sort: Sort): boolean {
  if (preferences.order?.length) return false;
  if (preferences.partition === 'none') return preferences.sort === sort || models.some((named) => named.sort === sort);
  return (models.find(({ id }) => id === model)?.sort ?? preferences.sort) === sort;
}

function figuresBy(
  candidates: readonly string[],
  figures: readonly (number | undefined)[],
  cutoff: number | undefined,
): Figures {
  const known = candidates.filter((_, index) => figures[index] !== undefined);
  const rounded = roundedAlike(
    figures.filter((figure) => figure !== undefined),
    cutoff,
  );
  return Object.fromEntries(known.map((candidate, index) => [candidate, rounded[index]!]));
}

const DIGITS_MIN = 3;
const DIGITS_MAX = 17;

/**
 * Rounds figures to as few digits as keep their order: different figures stay different, and none crosses the cut-off.
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
