import type { ModelLimits } from '../core/routing/catalog.js';
import { MINUTE_MS } from '../core/time.js';
import type { LimitSlot } from './limit-slot.js';

/** A slot may be free again at any moment: chosen, not known. */
const SLOT_RETRY_MS = 1_000;

/** What one call asks of limits that belong together. */
export interface LimitClaim {
  /** Whose limits they are: counted apart from those of any other. Without braces. */
  readonly subject: string;
  readonly limits: ModelLimits;
  /** Names the slot; no two calls have the same. */
  readonly owner: string;
  /** Reserved until the used ones are known. */
  readonly tokens: number;
  /** It goes on with a request that has been counted: only its tokens are. */
  readonly isFurther?: boolean;
  /** Of one among several who share the tokens of a minute: what they take is also counted apart. */
  readonly part?: TokenPart;
}

export interface TokenPart {
  /** Who it is. */
  readonly id: string;
  /** How many of the tokens of a minute it may take. */
  readonly tokensPerMinute: number;
}

/** Which limit refused a call, and when to come again. */
export interface LimitRefusal {
  readonly limit: keyof ModelLimits | 'part';
  readonly remaining: number;
  /** Epoch milliseconds. */
  readonly resetAtMs: number;
  readonly retryAfterMs: number;
}

export type Claimed = { readonly slot: LimitSlot } | { readonly refusal: LimitRefusal };

/**
 * Counts requests and tokens of the current UTC minute, and the slots in use. A call is admitted by all of its
 * limits, and then takes of all, or is refused by one, and takes of none.
 */
export abstract class LimitCounts {
  abstract claim(claim: LimitClaim): Promise<Claimed>;
}

/** Number of the UTC minute since 1970. */
export const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS);

/**
 * What is taken of a limit of tokens in advance: what was asked for, at least one, and at most the whole limit. So a
 * call that may need more than a minute's tokens is not refused for ever: it is admitted where the minute is yet
 * untouched, and takes all of it.
 */
export function reservedTokens(tokens: number, tokensPerMinute: number | undefined): number {
  if (tokensPerMinute === undefined) return 0;
  return tokens > 1 ? Math.min(Math.ceil(tokens), tokensPerMinute) : 1;
}

/**
 * By how much the count of a minute changes when a call ends. What a provider reports is not vouched for:
 * nonsense changes nothing.
 * @param reserved 0 where tokens are not limited
 */
export function tokenChange(tokensUsed: number | undefined, reserved: number): number {
  const used = Math.ceil(tokensUsed ?? NaN);
  return reserved > 0 && used >= 0 && Number.isSafeInteger(used) ? used - reserved : 0;
}

export function refusalBy(limit: LimitRefusal['limit'], remaining: number, nowMs: number): LimitRefusal {
  const retryAfterMs = limit === 'concurrency' ? SLOT_RETRY_MS : MINUTE_MS - (nowMs % MINUTE_MS);
  return { limit, remaining: Math.max(0, remaining), resetAtMs: nowMs + retryAfterMs, retryAfterMs };
}
