import type { Opaque } from '../json/json.js';

/**
 * Tokens of one reply, each counted once: the prompt is `inputTokens` (not cached) + cache reads + cache writes.
 * Figures are cumulative; the last `usage` event of a reply counts. An absent figure was not said by the provider.
 */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  /** Written for five minutes, or for a time the provider does not name. */
  readonly cacheWriteTokens?: number;
  readonly cacheWrite1hTokens?: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number;
  readonly webSearchRequests?: number;
  readonly webFetchRequests?: number;
  /** The tier and speed that were really served, in the provider's words. */
  readonly serviceTier?: string;
  readonly speed?: 'standard' | 'fast';
  /** The provider said nothing: the figures were counted here. */
  readonly estimated?: boolean;
  /** The provider's own usage object, for faces of the same format. */
  readonly extras?: Opaque;
}

/** The usage before the first report. */
export const NO_USAGE: Usage = {};

/** The later report wins, figure by figure: cumulative reports replace, they never add. */
export function mergeUsage(before: Usage, after: Usage): Usage {
  // Of a whole reply there is one report, and nothing to copy.
  if (before === NO_USAGE) return after;
  // Not two spreads: each result would have a shape of its own (docs/decisions/0023).
  return Object.assign({}, before, after);
}

const SUMMED = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'reasoningTokens',
  'webSearchRequests',
  'webFetchRequests',
] as const satisfies readonly (keyof Usage)[];

/** The usage of two replies together; tiers and vendors' own figures are those of the later one. */
export function addUsage(one: Usage, other: Usage): Usage {
  if (one === NO_USAGE) return other;
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = { ...other };
  for (const figure of SUMMED) {
    if (one[figure] === undefined && other[figure] === undefined) continue;
    sum[figure] = (one[figure] ?? 0) + (other[figure] ?? 0);
  }
  if (one.estimated) sum.estimated = true;
  return sum;
}
