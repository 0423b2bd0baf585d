import { GENERATION_COLUMNS, type WrittenGeneration } from './generation-columns.js';

/** A row of `generations` as a settlement writes it (see `GENERATION_COLUMNS`): never content. */
export type GenerationRow = WrittenGeneration;

/** What a row says of a generation of which nothing was observed but that it was begun. */
export const NOTHING_OBSERVED = {
  ...Object.fromEntries(Object.entries(GENERATION_COLUMNS).map(([name, { nothing }]) => [name, nothing])),
  is_estimated: true,
};
