/** What a provider does with a call whose client has left: it stops and bills what it has done, or bills all of it. */
export const ABORT_RULES = ['stops', 'billed'] as const;
export type AbortRule = (typeof ABORT_RULES)[number];

/** By how the reply was asked for. */
export interface AbortRules {
  readonly stream: AbortRule;
  readonly whole: AbortRule;
}

/** Of providers of whom the catalog says nothing. */
export const DEFAULT_ABORTS: AbortRules = { stream: 'stops', whole: 'billed' };

/** Whether the provider bills all of a call, whoever still waits for it. */
export const isBilledInFull = (aborts: AbortRules | undefined, isStreamed: boolean): boolean =>
  (aborts ?? DEFAULT_ABORTS)[isStreamed ? 'stream' : 'whole'] === 'billed';
