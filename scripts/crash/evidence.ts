import type { PicoUsd } from '../../src/core/money/credits.js';

// The observations of each side. A marker names one request of one client: it is part of the prompt, of the field
// `user` and, for a process that will be killed, of the model's id, which is all that the ledger knows of a call before
// its first content.

/** A call as the upstream counted it, once its whole request had arrived. */
export interface UpstreamCall {
  /** Refused with a 529 before any content: nothing is charged for it. */
  readonly isRefused: boolean;
  /** The usage at list price. */
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
  /** The request was sent a second time, with the same idempotency key. */
  readonly isRepeated?: boolean;
}

/** What the repetition of a request is answered whose reply was lost with its process, after all holds have ended. */
export interface LostReply {
  readonly marker: string;
  /** Undefined: its process died before it had stored it. */
  readonly generationId: string | undefined;
  /** USD; undefined: nothing is charged. */
  readonly charged: number | undefined;
}

/** A row of `generations`. */
export interface StoredGeneration {
  readonly id: string;
  readonly marker: string | undefined;
  readonly outcome: string;
  readonly cost: PicoUsd;
  readonly bound: PicoUsd;
  /** Cost that no caller is charged for. */
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
  readonly lost?: readonly LostReply[];
  /**
   * Holds may be gone when their replies are settled, after a pause or a crash of the database: then caps take
   * precedence.
   */
  readonly mayBeLate?: boolean;
}
