import type { PicoUsd } from '../../src/core/money/credits.js';

// What each side saw. A marker names one request of one client: it stands in the prompt, in the field `user` and, at a
// process that will be killed, in the model's id, which is all that the ledger knows of a call before its first word.

/** A call as the upstream counted it, from the moment its whole request had come. */
export interface UpstreamCall {
  /** Refused with a 529 before any word: nothing is charged for it. */
  readonly isRefused: boolean;
  /** What its usage comes to at list price. */
  readonly cost: PicoUsd;
}

/** A request as its client saw it. */
export interface SeenReply {
  readonly marker: string;
  /** `X-Generation-Id`, where headers came. */
  readonly id: string | undefined;
  /** Undefined: no status came. */
  readonly status: number | undefined;
  /** The last byte that matters came: `message_stop` of a stream, the whole JSON body. */
  readonly isComplete: boolean;
  /** `usage.cost` of a complete reply, as printed. */
  readonly reportedCost: number | undefined;
}

/** A row of `generations`. */
export interface StoredGeneration {
  readonly id: string;
  readonly marker: string | undefined;
  readonly outcome: string;
  readonly cost: PicoUsd;
  readonly bound: PicoUsd;
  /** What nobody was charged for. */
  readonly operatorCost: PicoUsd;
  readonly isRecovered: boolean;
  /** Charged by estimate, in part or whole: what was left before its provider told its usage. */
  readonly isEstimated?: boolean;
}

/** The entries of one generation. */
export interface StoredEntries {
  readonly id: string;
  readonly charges: number;
  readonly corrections: number;
  readonly amount: PicoUsd;
}

export interface Evidence {
  readonly calls: ReadonlyMap<string, readonly UpstreamCall[]>;
  readonly replies: readonly SeenReply[];
  readonly generations: readonly StoredGeneration[];
  readonly entries: readonly StoredEntries[];
  /** Holds may be gone when their replies are settled, by a pause or a crash of the database: then caps come first. */
  readonly mayBeLate?: boolean;
}
