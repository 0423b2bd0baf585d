import type { PicoUsd } from '../../src/core/money/credits.js';

// The observations of each side. A marker names one request of one client: it is part of the prompt, of the field
// `user` and, for a process that will be killed, of the model's id, which is all that the ledger knows of a call before
// its first content.

/** A call as the upstream counted it, once its whole request had arrived. */
export interface UpstreamCall {
  /** Refused with a 529 before any content: nothing is charged for it. */
  readonly isRefused: boolean;
  /** Its usage at list price. */
  readonly cost: PicoUsd;
}

/** A request as its client observed it. */
export interface SeenReply {
  readonly marker: string;
  /** `X-Generation-Id`, where headers arrived. */
  readonly id: string | undefined;
  /** Undefined: no status arrived. */
  readonly status: number | undefined;
  /** The final byte arrived: `message_stop` of a stream, the whole JSON body. */
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
  /** Not charged to any caller. */
  readonly operatorCost: PicoUsd;
  readonly isRecovered: boolean;
  /** Charged by estimate, in part or whole: abandoned before its provider reported its usage. */
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
  /**
   * Holds may be gone when their replies are settled, after a pause or a crash of the database: then caps take
   * precedence.
   */
  readonly mayBeLate?: boolean;
}
