import type { BudgetSubject, SubjectScope } from '../accounts/budget-subjects.js';
import type { Caller } from '../core/caller.js';
import type { GenerationId } from '../core/ids.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { Interval } from '../core/time.js';
import type { GenerationRow } from './generations/generation-row.js';

/** The most that calls under way may cost. */
export interface HeldAmounts {
  /** Charged to credits. */
  readonly credits: PicoUsd;
  /** List price of calls with the caller's own credentials: counts only in caps that include it. */
  readonly byok: PicoUsd;
}

/** The amounts to reserve before anything is sent to a provider. */
export interface HoldRequest {
  readonly id: GenerationId;
  readonly caller: Caller;
  /** Ids of the budgets of guardrails that it counts in, in addition to those of the workspace. */
  readonly guardrails: readonly string[];
  /** Users, members and tags with budgets that it counts for; absent: none. */
  readonly subjects?: readonly BudgetSubject[];
  /** Id of the first model of the plan: all that is known if the process dies. */
  readonly model: string;
  readonly bound: HeldAmounts;
  /** Counts as one of the account's free requests of the day. */
  readonly isFree: boolean;
  /** The account's other keys are calling: this key may use half of the free requests. */
  readonly hasContention?: boolean;
}

/** The counters that a hold was taken from, in addition to the account's. */
export interface HeldCounters {
  /** Interval of the key's window. */
  readonly keyInterval: Interval;
  /** `[scope, id, interval]` of each; null for none. */
  readonly budgets: readonly (readonly [scope: string, id: string, interval: Interval])[] | null;
}

/** A hold that was granted. */
export interface Hold {
  readonly id: GenerationId;
  readonly request: HoldRequest;
  /** Decides its windows and its month. By the database's clock, ISO 8601, milliseconds. */
  readonly heldAt: string;
  readonly counters: HeldCounters;
  /** Grows when it is extended. */
  bound: HeldAmounts;
  /** The row that the generation would be settled with now; undefined while nothing has been observed. */
  observe: (() => GenerationRow | undefined) | undefined;
  /** Settles, never rejects, when the last requested extension is granted or refused. */
  extending?: Promise<unknown>;
  /** Settles, never rejects, when the last note of it is answered. */
  noting?: Promise<unknown>;
  /** Handle of the hold in `openHolds` of the ledger; undefined after the hold has ended. */
  openHandle: number | undefined;
}

/** Identifies a counter, whichever window it is in. */
export interface CounterName {
  readonly scope: 'account' | 'key' | 'workspace' | 'guardrail' | SubjectScope | 'free_requests';
  /** The key's hash, or the id of the scope's object. */
  readonly scopeId: string;
  readonly interval: Interval;
}

/** A counter without enough balance. */
export interface HoldRefusal extends CounterName {
  /** The user, member or tag whose budget it is. */
  readonly subject?: BudgetSubject;
  /** The limit is the default of the scope. Absent: the limit was set for this subject. */
  readonly isDefault?: boolean;
  /** Calls with the caller's own credentials count as well. */
  readonly includesByok: boolean;
  /** USD, or requests in units of 10⁻¹² for `free_requests`. */
  readonly limit: PicoUsd;
  readonly used: PicoUsd;
  readonly held: PicoUsd;
}

/** `refused`: every counter without enough balance, at least one, in the order in which callers are shown them. */
export type HoldOutcome = { readonly granted: Hold } | { readonly refused: readonly HoldRefusal[] };

/** The remaining balance of a counter. */
export const remainingOf = ({ limit, used, held }: HoldRefusal): PicoUsd => limit - used - held;

/** The part of these amounts that counts in the counter that refused. */
export const countedBy = ({ includesByok }: HoldRefusal, { credits, byok }: HeldAmounts): PicoUsd =>
  includesByok ? credits + byok : credits;
