import type { Candidate } from './candidate.js';
import type { Endpoint } from './catalog.js';
import type { ExclusionReason, ServiceTier } from './plan.js';
import { findPriceAbove } from './price-caps.js';
import { refusesRetentionOf, type Rules, type SlugList } from './rules.js';
import { findSlug } from './slug.js';

/** A hard filter. The detail names the field or figure that decided, never content. */
interface Filter {
  readonly reason: ExclusionReason;
  readonly excludes: (candidate: Candidate, rules: Rules) => boolean;
  readonly detail?: (candidate: Candidate, rules: Rules) => string | undefined;
}

/**
 * What leaves a candidate out whoever pays for it, in the order in which reasons are given. Credentials and pauses come
 * after: they differ from copy to copy, and a key grants no exemption from these (WIRE 3.7).
 */
const FILTERS: readonly Filter[] = [
  {
    reason: 'not-allowed',
    excludes: (candidate, { only }) => findList(only, candidate, false) !== undefined,
    detail: (candidate, { only }) => listName(findList(only, candidate, false), 'provider.only'),
  },
  {
    reason: 'ignored',
    excludes: (candidate, { ignore }) => findList(ignore, candidate, true) !== undefined,
    detail: (candidate, { ignore }) => listName(findList(ignore, candidate, true), 'provider.ignore'),
  },
  {
    reason: 'not-in-order',
    excludes: (candidate, { onlyOrdered, order }) => onlyOrdered && findSlug(order, candidate) === -1,
  },
  {
    reason: 'collects-data',
    excludes: ({ provider }, { refusesCollection }) => refusesCollection && provider.policy.collectsData,
  },
  {
    reason: 'retains-data',
    excludes: ({ provider, model }, rules) => !provider.policy.zeroDataRetention && refusesRetentionOf(rules, model.id),
  },
  {
    reason: 'not-distillable',
    excludes: ({ model }, { needs }) => needs.preferences.enforceDistillableText === true && model.distillable !== true,
  },
  {
    reason: 'quantization',
    excludes: ({ endpoint }, { quantizations }) => quantizations?.has(endpoint.quantization) === false,
    detail: ({ endpoint }) => endpoint.quantization,
  },
  {
    reason: 'unsupported-parameter',
    excludes: (candidate, rules) => findUnsupported(candidate, rules) !== undefined,
    detail: (candidate, rules) => findUnsupported(candidate, rules),
  },
  {
    reason: 'max-price',
    excludes: (candidate, rules) => findAbove(candidate, rules) !== undefined,
    detail: (candidate, rules) => findAbove(candidate, rules),
  },
  {
    reason: 'context-length',
    excludes: ({ endpoint }, { needs }) =>
      needs.promptTokensMin + (needs.maxOutputTokens ?? 0) > endpoint.contextLength,
    detail: ({ endpoint }, { needs }) =>
      needs.promptTokensMin > endpoint.contextLength || needs.maxOutputTokens === undefined
        ? `prompt ${needs.promptTokensMin} > ${endpoint.contextLength}`
        : `prompt ${needs.promptTokensMin} + max_tokens ${needs.maxOutputTokens} > ${endpoint.contextLength}`,
  },
  {
    reason: 'max-tokens',
    excludes: (candidate, { needs }) => (needs.maxOutputTokens ?? 0) > outputTokensMax(candidate),
    detail: (candidate, { needs }) => `${needs.maxOutputTokens} > ${outputTokensMax(candidate)}`,
  },
  {
    reason: 'modality',
    excludes: (candidate, rules) => findModality(candidate, rules) !== undefined,
    detail: (candidate, rules) => findModality(candidate, rules),
  },
];

/** The first filter that leaves the candidate out. */
export function findFilter(candidate: Candidate, rules: Rules): Filter | undefined {
  for (let index = 0; index < FILTERS.length; index++) {
    const filter = FILTERS[index]!;
    if (filter.excludes(candidate, rules)) return filter;
  }
  return undefined;
}

type Participation = Readonly<Record<ServiceTier, boolean>>;
const FASTER: Participation = { standard: true, fast: true, priority: true, flex: false };

/** Which tiers take part when one is asked for (WIRE 1.6, 3.6). */
const TAKES_PART: Readonly<Record<ServiceTier, Participation>> = {
  standard: { standard: true, fast: false, priority: false, flex: false },
  fast: FASTER,
  priority: FASTER,
  flex: { standard: true, fast: false, priority: false, flex: true },
};

/** Whether its tier was asked for, by the request or by a full slug such as `openai/priority`. */
export const takesPart = (candidate: Candidate, { needs, fullSlugs }: Rules): boolean =>
  TAKES_PART[needs.tier][candidate.tier] || (fullSlugs.length > 0 && findSlug(fullSlugs, candidate) !== -1);

/** WIRE 3.2: an endpoint that has either name can hold an answer to a schema. */
const ALSO_BY: Readonly<Record<string, string>> = { structured_outputs: 'response_format' };

/** An endpoint whose list is empty says nothing, which counts as supporting all. */
export function supports({ supportedParameters }: Endpoint, parameter: string): boolean {
  if (supportedParameters.length === 0 || supportedParameters.includes(parameter)) return true;
  const other = ALSO_BY[parameter];
  return other !== undefined && supportedParameters.includes(other);
}

/** The list that decides: the first that has the candidate, or the first that has it not. */
function findList(lists: readonly SlugList[], candidate: Candidate, holds: boolean): SlugList | undefined {
  for (const list of lists) {
    if ((findSlug(list.patterns, candidate, list.isPolicy) !== -1) === holds) return list;
  }
  return undefined;
}

const listName = (list: SlugList | undefined, field: string): string => (list?.isPolicy ? 'policy' : field);

function findUnsupported({ endpoint }: Candidate, { needs }: Rules): string | undefined {
  if (needs.preferences.requireParameters !== true) return undefined;
  return needs.parameters.find((parameter) => !supports(endpoint, parameter));
}

const findAbove = (candidate: Candidate, { caps, needs }: Rules): string | undefined =>
  caps && findPriceAbove(caps, candidate, needs.promptTokensMin);

const outputTokensMax = ({ endpoint, model }: Candidate): number =>
  endpoint.maxCompletionTokens ?? model.maxCompletionTokens ?? Infinity;

const findModality = ({ model }: Candidate, { needs }: Rules): string | undefined =>
  needs.modalities.find((modality) => !model.inputModalities.includes(modality));
