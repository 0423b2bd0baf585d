import { definedOnly } from '../defined.js';
import type { Opaque } from '../json/json.js';
import type { Endpoint } from '../routing/catalog.js';

/** Tokens of one call of a model, each counted once. An absent figure was not said by the provider. */
export interface TokenFigures {
  /** Not cached. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  /** Written for five minutes, or for a time the provider does not name. */
  readonly cacheWriteTokens?: number;
  readonly cacheWrite1hTokens?: number;
}

/** What a further model call of a generation is for. */
export type ConsultationKind = 'advisor' | 'image-generation' | 'fusion-panel' | 'fusion-judge' | 'moderation';

/**
 * One of the calls behind one reply, which its provider makes or this gateway: the model asked again behind a tool's
 * result (`message`), the prompt shortened (`compaction`), another model consulted.
 */
export interface UsageIteration extends TokenFigures {
  readonly kind: 'message' | 'compaction' | ConsultationKind;
  /** The model's name at the provider where that made the call, its id in the catalog where this gateway did. */
  readonly model?: string;
  /** Where the catalog has an advisor's price; set by who judges the usage. Absent: nobody agreed to a price. */
  readonly pricedBy?: Endpoint;
}

/**
 * Tokens of one reply, each counted once: the prompt is `inputTokens` (not cached) + cache reads + cache writes.
 * Figures are cumulative; the last `usage` event of a reply counts. An absent figure was not said by the provider.
 */
export interface Usage extends TokenFigures {
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number;
  /** Of pictures: part of `outputTokens` as well. */
  readonly imageTokens?: number;
  /** The output limit that was sent does not hold for the reasoning. */
  readonly reasoningIsApart?: boolean;
  readonly webSearchRequests?: number;
  readonly webFetchRequests?: number;
  /** Calls of tools at the vendor and here, and those of them that were run; absent: the requests above are all. */
  readonly toolCalls?: { readonly requested: number; readonly executed: number };
  /** The vendor ran tools, of which it tells no figure. */
  readonly ranVendorTools?: boolean;
  /** What the provider says of its calls one by one. Those of kind `message` are in the figures above, others not. */
  readonly iterations?: readonly UsageIteration[];
  /** The tier and speed that were really served, in the provider's words. */
  readonly serviceTier?: string;
  readonly speed?: 'standard' | 'fast';
  /** Where it really ran, likewise. */
  readonly inferenceGeo?: string;
  /** The provider did not say, or not what can be: at least one figure was counted here. */
  readonly estimated?: boolean;
  /** The provider's own usage object, for faces of the same format. */
  readonly extras?: Opaque;
}

/** The usage before the first report. */
export const NO_USAGE: Usage = {};

/**
 * The later report wins, figure by figure: cumulative reports replace, they never add. Callers keep
 * the first report as it is, which for a whole reply is the only one.
 */
export function mergeUsage(before: Usage, after: Usage): Usage {
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
  'imageTokens',
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
  if (one.iterations) sum.iterations = [...one.iterations, ...(other.iterations ?? [])];
  if (one.estimated) sum.estimated = true;
  return sum;
}

/** The figures of all calls of the model that answers: those beside the one that answers are added to it. */
export function withCompactions(usage: Usage): Usage {
  const { iterations } = usage;
  if (!iterations) return usage;
  let whole = usage;
  for (const iteration of iterations) {
    if (iteration.kind === 'compaction') whole = { ...addUsage(iteration, whole), iterations };
  }
  return whole;
}

/** The usage of a call as one of those behind a generation. */
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
