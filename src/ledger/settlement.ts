import type { GenerationRow } from './generations/generation-row.js';
import type { HeldCounters } from './hold.js';

/**
 * The settlement of a hold: its generation, and the counters it was taken from, which count the charge even where the
 * database has lost the hold. The counters are absent from rows that the previous release left in its spool.
 */
export type Settlement = GenerationRow & {
  readonly key_interval?: HeldCounters['keyInterval'];
  readonly budgets?: HeldCounters['budgets'];
  /**
   * The part of the operator's cost by engines of tools and plugins, decimal USD by name: for the metrics after a
   * recovery. Absent: none.
   */
  readonly engine_costs?: Readonly<Record<string, string>>;
};
