import { GENERATION_COLUMNS, type WrittenGeneration } from './generation-columns.js';

/** A row of `generations` as a settlement writes it (see `GENERATION_COLUMNS`): never content. */
export type GenerationRow = WrittenGeneration;

/** The row of a generation of which nothing but its start was observed. */
export const NOTHING_OBSERVED = {
  ...Object.fromEntries(Object.entries(GENERATION_COLUMNS).map(([name, { nothing }]) => [name, nothing])),
  is_estimated: true,
};
