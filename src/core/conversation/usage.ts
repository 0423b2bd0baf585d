import { definedOnly } from '../defined.js';
import type { Opaque } from '../json/json.js';
import type { Endpoint } from '../routing/catalog.js';

/** Tokens of one call of a model, each counted once. An absent figure was not reported by the provider. */
export interface TokenFigures {
  /** Input tokens that were not cached. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  /** Written for five minutes, or for a lifetime that the provider does not report. */
  readonly cacheWriteTokens?: number;
  readonly cacheWrite1hTokens?: number;
}

/** The purpose of a further model call of a generation. */
export type ConsultationKind = 'advisor' | 'image-generation' | 'fusion-panel' | 'fusion-judge' | 'moderation';

/**
 * One of the calls behind one reply, made by its provider or this gateway: the model called again with a tool's result
 * (`message`), the prompt compacted (`compaction`), another model consulted.
 */
export interface UsageIteration extends TokenFigures {
  readonly kind: 'message' | 'compaction' | ConsultationKind;
  /**
   * The model's name at the provider where the provider made the call, its id in the catalog where this gateway did.
   */
  readonly model?: string;
  /**
   * The endpoint of an advisor with a price in the catalog; set when the usage is judged. Absent: the caller agreed to
   * no price.
   */
  readonly pricedBy?: Endpoint;
}

/**
 * Tokens of one reply, each counted once: the prompt is `inputTokens` (not cached) + cache reads + cache writes.
 * Figures are cumulative; the last `usage` event of a reply counts. An absent figure was not reported by the provider.
 */
export interface Usage extends TokenFigures {
  /** The provider reported a prompt of 0 tokens, and that it cost nothing. */
  readonly promptIsFree?: boolean;
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number;
  /** Output tokens of pictures, also part of `outputTokens`. */
  readonly imageTokens?: number;
  /** The output limit that was sent does not include the reasoning. */
  readonly reasoningIsApart?: boolean;
  readonly webSearchRequests?: number;
  readonly webFetchRequests?: number;
  /** The number of a vendor's units of search, each of which costs the price of a request; absent: one. */
  readonly searchUnits?: number;
  /** The number of prompts that the figures add up, each with a separate context; absent: one. */
  readonly prompts?: number;
  /** Calls of tools at the vendor and here, and those that were run; absent: the requests above are all. */
  readonly toolCalls?: { readonly requested: number; readonly executed: number };
  /** The vendor ran tools without reporting their number. */
  readonly ranVendorTools?: boolean;
  /** The provider's report of its single calls. Those of kind `message` are in the figures above, others not. */
  readonly iterations?: readonly UsageIteration[];
  /** The tier and speed that were served, as the provider names them. */
  readonly serviceTier?: string;
  readonly speed?: 'standard' | 'fast';
  /** The location that served it, as the provider names it. */
  readonly inferenceGeo?: string;
  /** The provider reported nothing, or something impossible: at least one figure was estimated here. */
  readonly estimated?: boolean;
  /** The provider's own usage object, for faces of the same format. */
  readonly extras?: Opaque;
}

/** The usage before the first report. */
export const NO_USAGE: Usage = {};

/**
 * The later report wins, figure by figure: cumulative reports replace, they never add. A single report is kept as it
 * is, unmerged.
 */
export function mergeUsage(before: Usage, after: Usage): Usage {
  // Not two spreads: each result would have a separate shape (docs/contribute/decisions/0087).
  return Object.assign({}, before, after);
}

const SUMMED = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'reasoningTokens',
  'imageTokens',
  'webSearchRequests',
  'webFetchRequests',
  'searchUnits',
] as const satisfies readonly (keyof Usage)[];

/** The sum of the usage of two replies; tiers and vendors' own figures are those of the later one. */
export function addUsage(earlier: Usage, later: Usage): Usage {
  if (earlier === NO_USAGE) return later;
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = { ...later };
  for (const figure of SUMMED) {
    if (earlier[figure] === undefined && later[figure] === undefined) continue;
    sum[figure] = (earlier[figure] ?? 0) + (later[figure] ?? 0);
  }
  if (earlier.iterations) sum.iterations = [...earlier.iterations, ...(later.iterations ?? [])];
  if (earlier.estimated) sum.estimated = true;
  return sum;
}

/** The figures of all calls of the model that answers: compactions are added to its own. */
export function withCompactions(usage: Usage): Usage {
  const { iterations } = usage;
  if (!iterations) return usage;
  let whole = usage;
  for (const iteration of iterations) {
    if (iteration.kind === 'compaction') whole = { ...addUsage(iteration, whole), iterations };
  }
  return whole;
}

/** The usage of a call as an iteration of its generation. */
export const iterationOf = (usage: Usage, kind: UsageIteration['kind'], model: string): UsageIteration => ({
  kind,
  model,
  ...definedOnly({
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cacheReadTokens: usage.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens,
    cacheWrite1hTokens: usage.cacheWrite1hTokens,
  }),
});
