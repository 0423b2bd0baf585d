import type { GenerationRow } from './generation-row.js';
import type { HeldCounters } from './hold.js';

/**
 * What a hold comes to: its generation, and the counters it was taken from, which count the charge even where the
 * database has lost the hold. Absent from what the release before left in its spool.
 */
export type Settlement = GenerationRow & {
  readonly key_interval?: HeldCounters['keyInterval'];
  readonly budgets?: HeldCounters['budgets'];
};
