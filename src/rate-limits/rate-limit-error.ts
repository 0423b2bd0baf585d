import { GatewayError } from '../core/errors.js';

/** A limit of the gateway itself that a request reached. */
export interface ReachedLimit {
  readonly limit: number;
  /** The remaining part of the limit; 0 by default. */
  readonly remaining?: number;
  /** When it resets, epoch milliseconds. */
  readonly resetAtMs: number;
  /** Sent as `Retry-After`. Omitted for free variants (docs/use/errors.md#free-variants). */
  readonly retryAfterMs?: number;
  /** `metadata.limit_source`: which limit it was, for programs. */
  readonly source: string;
  /** `metadata.limit`: which of the limits of that source, where it has several. */
  readonly name?: string;
}

/**
 * A 429 of the gateway itself: the only error that sends `X-RateLimit-*` (docs/use/errors.md#rate-limits). Successful
 * replies and the 429s of providers have none of these headers. `metadata.headers` repeats them.
 */
export function rateLimitError(message: string, reached: ReachedLimit): GatewayError {
  const { limit, remaining = 0, resetAtMs, retryAfterMs, source, name } = reached;
  const headers = {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetAtMs),
  };
  return new GatewayError('rate-limited', message, {
    headers,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    metadata: { headers, limit_source: source, ...(name !== undefined && { limit: name }) },
  });
}

/**
 * The refusal of a full window that resets after so many seconds.
 * @param now epoch milliseconds
 */
export function windowRefusal(
  message: string,
  { limit, source }: Pick<ReachedLimit, 'limit' | 'source'>,
  secondsLeft: number,
  now: number,
): GatewayError {
  const retryAfterMs = Math.max(1, secondsLeft) * 1000;
  return rateLimitError(message, { limit, source, resetAtMs: now + retryAfterMs, retryAfterMs });
}
