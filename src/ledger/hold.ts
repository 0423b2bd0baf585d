import type { Caller } from '../core/caller.js';
import type { GenerationId } from '../core/ids.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { Interval } from '../core/time.js';
import type { GenerationRow } from './generation-row.js';

/** The most that calls under way may cost. */
export interface HeldAmounts {
  /** Of credits. */
  readonly credits: PicoUsd;
  /** List price of what goes through the caller's own credentials: takes room only in caps that count it. */
  readonly byok: PicoUsd;
}

/** What is to be reserved before anything is sent upstream. */
export interface HoldRequest {
  readonly id: GenerationId;
  readonly caller: Caller;
  /** Ids of the budgets of guardrails that it is counted in, beside those of the workspace. */
  readonly guardrails: readonly string[];
  /** Id of the first model of the plan: all that is known should the process die. */
  readonly model: string;
  readonly bound: HeldAmounts;
  /** Counts as one of the account's free requests of the day. */
  readonly isFree: boolean;
}

/** A reservation that was granted. */
export interface Hold {
  readonly id: GenerationId;
  readonly request: HoldRequest;
  /** By the database's clock: decides the windows and the month it belongs to. ISO 8601, milliseconds. */
  readonly heldAt: string;
  /** Grows when it is extended. */
  bound: HeldAmounts;
  /** What the generation would be settled with at this moment; undefined while nothing has been observed. */
  observe: (() => GenerationRow | undefined) | undefined;
  /** Settles, never rejects, when what was last asked to be added to it is there or refused. */
  extending?: Promise<unknown>;
  /** Where its ledger keeps it; undefined once it has ended. */
  place: number | undefined;
}

/** The counter that had no room. */
export interface HoldRefusal {
  readonly scope: 'account' | 'key' | 'workspace' | 'guardrail' | 'free_requests';
  readonly interval: Interval;
  /** What goes through the caller's own credentials counts as well. */
  readonly includesByok: boolean;
  /** Of credits, or of requests in 10⁻¹² for `free_requests`. */
  readonly limit: PicoUsd;
  readonly used: PicoUsd;
  readonly held: PicoUsd;
}

export type HoldOutcome = { readonly granted: Hold } | { readonly refused: HoldRefusal };

/** What a counter has room for, also for one call alone. */
export const remainingOf = ({ limit, used, held }: HoldRefusal): PicoUsd => limit - used - held;

/** How much of these amounts the counter that refused takes. */
export const countedBy = ({ includesByok }: HoldRefusal, { credits, byok }: HeldAmounts): PicoUsd =>
  includesByok ? credits + byok : credits;
