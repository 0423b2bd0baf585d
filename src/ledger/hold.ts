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
  /** Other keys of the account call: of its free requests this one has half. */
  readonly isShared?: boolean;
}

/** The counters that a hold was taken from, beside the account's. */
export interface HeldCounters {
  /** Of the key's window. */
  readonly keyInterval: Interval;
  /** `[scope, id, interval]` of each; null for none. */
  readonly budgets: readonly (readonly [scope: string, id: string, interval: Interval])[] | null;
}

/** A reservation that was granted. */
export interface Hold {
  readonly id: GenerationId;
  readonly request: HoldRequest;
  /** By the database's clock: decides the windows and the month it belongs to. ISO 8601, milliseconds. */
  readonly heldAt: string;
  readonly counters: HeldCounters;
  /** Grows when it is extended. */
  bound: HeldAmounts;
  /** What the generation would be settled with at this moment; undefined while nothing has been observed. */
  observe: (() => GenerationRow | undefined) | undefined;
  /** Settles, never rejects, when what was last asked to be added to it is there or refused. */
  extending?: Promise<unknown>;
  /** Settles, never rejects, when what was last written down of it is answered. */
  noting?: Promise<unknown>;
  /** Where its ledger keeps it; undefined once it has ended. */
  place: number | undefined;
}

/** Which counter it is, whatever window it is in. */
export interface CounterName {
  readonly scope: 'account' | 'key' | 'workspace' | 'guardrail' | 'free_requests';
  /** The key's hash, or the id of what the scope names. */
  readonly scopeId: string;
  readonly interval: Interval;
}

/** A counter that had no room. */
export interface HoldRefusal extends CounterName {
  /** What goes through the caller's own credentials counts as well. */
  readonly includesByok: boolean;
  /** Of credits, or of requests in 10⁻¹² for `free_requests`. */
  readonly limit: PicoUsd;
  readonly used: PicoUsd;
  readonly held: PicoUsd;
}

/** `refused`: every counter without room, one at least, in the order in which callers are told of them. */
export type HoldOutcome = { readonly granted: Hold } | { readonly refused: readonly HoldRefusal[] };

/** What a counter has room for. */
export const remainingOf = ({ limit, used, held }: HoldRefusal): PicoUsd => limit - used - held;

/** How much of these amounts the counter that refused takes. */
export const countedBy = ({ includesByok }: HoldRefusal, { credits, byok }: HeldAmounts): PicoUsd =>
  includesByok ? credits + byok : credits;
