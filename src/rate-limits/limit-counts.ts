import type { ModelLimits } from '../core/routing/catalog.js';
import { MINUTE_MS } from '../core/time.js';
import type { LimitSlot } from './limit-slot.js';

/** A slot may become free at any moment: the value is chosen, not known. */
const SLOT_RETRY_MS = 1_000;

/** The amounts that one call claims of limits with a common subject. */
export interface LimitClaim {
  /** The owner of the limits: counted apart from others. Without braces. */
  readonly subject: string;
  readonly limits: ModelLimits;
  /** Identifies the slot; no two calls have the same. */
  readonly owner: string;
  /** Reserved until the used ones are known. */
  readonly tokens: number;
  /** A further call of a request that has been counted: only its tokens count. */
  readonly isFurther?: boolean;
  /** One of several users who share the tokens of a minute: its tokens are also counted apart. */
  readonly part?: TokenPart;
}

export interface TokenPart {
  /** Id of the user. */
  readonly id: string;
  /** The number of tokens of a minute that it may take. */
  readonly tokensPerMinute: number;
}

/** The limit that refused a call, and its reset. */
export interface LimitRefusal {
  readonly limit: keyof ModelLimits | 'part';
  readonly remaining: number;
  /** Epoch milliseconds. */
  readonly resetAtMs: number;
  readonly retryAfterMs: number;
}

export type LimitClaimResult = { readonly slot: LimitSlot } | { readonly refusal: LimitRefusal };

/**
 * Counts requests and tokens of the current UTC minute, and the slots in use. A call is either admitted by all of its
 * limits, and then counts in all, or refused by one, and counts in none.
 */
export abstract class LimitCounts {
  abstract claim(claim: LimitClaim): Promise<LimitClaimResult>;
}

/** Number of the UTC minute since 1970. */
export const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS);

/**
 * Number of tokens that are reserved in a limit: the requested ones, at least one, and at most the whole limit. Thus a
 * call that may need more than a minute's tokens is not refused for ever: it is admitted in an unused minute, and takes
 * all of it.
 */
export function reservedTokens(tokens: number, tokensPerMinute: number | undefined): number {
  if (tokensPerMinute === undefined) return 0;
  return tokens > 1 ? Math.min(Math.ceil(tokens), tokensPerMinute) : 1;
}

/**
 * The change of a minute's count when a call ends. The usage that a provider reports is not trusted: an implausible
 * number changes nothing.
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
