/**
 * A provider's treatment of a call whose client has disconnected: it stops and bills the part done so far, or bills the
 * whole call.
 */
export const ABORT_RULES = ['stops', 'billed'] as const;
export type AbortRule = (typeof ABORT_RULES)[number];

/** Rules by kind of request: streamed or whole. */
export interface AbortRules {
  readonly stream: AbortRule;
  readonly whole: AbortRule;
}

/** For providers without an entry in the catalog. */
export const DEFAULT_ABORTS: AbortRules = { stream: 'stops', whole: 'billed' };

/** Whether the provider bills all of a call even after its client has disconnected. */
export const isBilledInFull = (aborts: AbortRules | undefined, isStreamed: boolean): boolean =>
  (aborts ?? DEFAULT_ABORTS)[isStreamed ? 'stream' : 'whole'] === 'billed';
