import { inWordsOf } from '../conversation/field-names.js';
import type { RequestField } from '../translation.js';
import type { Candidate } from './candidate.js';
import { collects, type Endpoint } from './catalog.js';
import type { Exclusion, ExclusionReason, ServiceTier } from './plan.js';
import { unpricedField } from './priced-options.js';
import { findPriceAbove, readCaps, type ReadCaps } from './price-caps.js';
import { NO_PREFERENCES, type ProviderPreferences, type Quantization } from './preferences.js';
import { matchesModel } from './model-pattern.js';
import { shortened } from '../shortened.js';
import { ZDR_AUTHORS, type RouteInputs, type RouteNeeds, type RoutingPolicy } from './route-inputs.js';
import { findSlug, readSlug, type SlugPattern } from './slug.js';

/** The patterns of one list. Those of a policy name companies, so their base slugs cover the tiers as well. */
interface SlugList {
  readonly patterns: readonly SlugPattern[];
  readonly isPolicy: boolean;
}

/** A request's preferences and the policies above it, combined. Absent fields do not restrict. */
export interface Rules {
  readonly preferences: ProviderPreferences;
  /** Whether any rule excludes endpoints by the identity or data policy of the provider, or by its offer. */
  readonly narrows: boolean;
  /** Lists of which a candidate must match each. */
  readonly only: readonly SlugList[];
  /** Lists of which a candidate must match none. */
  readonly ignore: readonly SlugList[];
  /** Empty: no order was requested. */
  readonly order: readonly SlugPattern[];
  /**
   * Entries of `order` and `only` that may name a tier. They include that tier without a `service_tier`
   * (docs/use/choosing-providers.md#provider-names).
   */
  readonly fullSlugs: readonly SlugPattern[];
  /** `order` without fallbacks. */
  readonly onlyOrdered: boolean;
  /** No `order` and no fallbacks. */
  readonly onlyFirst: boolean;
  readonly refusesCollection: boolean;
  /** For all models, or those of these authors; `*` means all that are not listed. */
  readonly refusesRetention: boolean | ReadonlySet<string>;
  /** Whether any policy restricts models. */
  readonly limitsModels: boolean;
  /** A model must match one pattern of each of these lists. */
  readonly onlyModels: readonly (readonly string[])[];
  /** And one of these, which belong to the key itself. */
  readonly keyModels?: readonly string[];
  /** A model must match none of these. */
  readonly ignoreModels: readonly string[];
  readonly quantizations?: ReadonlySet<Quantization>;
  readonly caps?: ReadCaps;
}

/** docs/use/choosing-providers.md#quantizations: further formats that match a request for the plain width. */
const WIDER: Partial<Readonly<Record<Quantization, readonly Quantization[]>>> = {
  fp4: ['mxfp4', 'nvfp4'],
  fp8: ['mxfp8'],
};

const NONE: readonly never[] = [];

/** Rules of requests without preferences, by their policies: the lists of policies are reused for seconds. */
const PLAIN_RULES = new WeakMap<readonly RoutingPolicy[], Rules>();

/**
 * An empty list in a request has no effect; an empty `only` of a policy allows no provider.
 * @throws GatewayError `invalid-request` for a price that is no decimal
 */
export function readRules(preferences: ProviderPreferences, policies: readonly RoutingPolicy[]): Rules {
  if (preferences !== NO_PREFERENCES) return combine(preferences, policies);
  let rules = PLAIN_RULES.get(policies);
  if (!rules) PLAIN_RULES.set(policies, (rules = combine(preferences, policies)));
  return rules;
}

function combine(preferences: ProviderPreferences, policies: readonly RoutingPolicy[]): Rules {
  const order = preferences.order?.map(readSlug) ?? NONE;
  const allowed = preferences.only?.map(readSlug) ?? NONE;
  const ignored = preferences.ignore?.map(readSlug) ?? NONE;
  const only: SlugList[] = allowed.length > 0 ? [{ patterns: allowed, isPolicy: false }] : [];
  const ignore: SlugList[] = ignored.length > 0 ? [{ patterns: ignored, isPolicy: false }] : [];
  let refusesCollection = preferences.dataCollection === 'deny';
  let refusesRetention = preferences.zeroDataRetention === true;
  const authors = new Set<string>();
  const onlyModels: (readonly string[])[] = [];
  const ignoreModels: string[] = [];
  let keyModels: readonly string[] | undefined;
  for (const policy of policies) {
    if (policy.only) only.push({ patterns: policy.only.map(readSlug), isPolicy: true });
    if (policy.ignore?.length) ignore.push({ patterns: policy.ignore.map(readSlug), isPolicy: true });
    refusesCollection ||= policy.denyDataCollection === true;
    refusesRetention ||= policy.zeroDataRetention === true;
    if (typeof policy.zeroDataRetention === 'object')
      for (const author of policy.zeroDataRetention) authors.add(author);
    if (policy.onlyModels) onlyModels.push(policy.onlyModels);
    if (policy.ignoreModels) ignoreModels.push(...policy.ignoreModels);
    keyModels ??= policy.keyModels;
  }
  const noFallbacks = preferences.allowFallbacks === false;
  const onlyOrdered = noFallbacks && order.length > 0;
  return {
    preferences,
    narrows:
      only.length + ignore.length > 0 ||
      onlyOrdered ||
      refusesCollection ||
      refusesRetention ||
      authors.size > 0 ||
      preferences.enforceDistillableText === true ||
      preferences.requireParameters === true ||
      preferences.quantizations !== undefined ||
      preferences.maxPrice !== undefined,
    only,
    ignore,
    order,
    fullSlugs:
      order.length + allowed.length > 0 ? [...order, ...allowed].filter(({ tail }) => tail !== undefined) : NONE,
    onlyOrdered,
    onlyFirst: noFallbacks && order.length === 0,
    refusesCollection,
    refusesRetention: refusesRetention || (authors.size > 0 && authors),
    limitsModels: keyModels !== undefined || onlyModels.length + ignoreModels.length > 0,
    onlyModels: onlyModels.length > 0 ? onlyModels : NONE,
    ...(keyModels && { keyModels }),
    ignoreModels: ignoreModels.length > 0 ? ignoreModels : NONE,
    ...(preferences.quantizations?.length && { quantizations: widen(preferences.quantizations) }),
    ...(preferences.maxPrice && { caps: readCaps(preferences.maxPrice) }),
  };
}

/** Why policies forbid a model. */
export type ForbiddenReason = Extract<ExclusionReason, 'model-not-allowed' | 'model-not-for-key'>;

/** @returns undefined where they allow it */
export function forbids({ onlyModels, keyModels, ignoreModels }: Rules, id: string): ForbiddenReason | undefined {
  const fitsOne = (patterns: readonly string[]): boolean => patterns.some((pattern) => matchesModel(pattern, id));
  if (keyModels && !fitsOne(keyModels)) return 'model-not-for-key';
  return onlyModels.every(fitsOne) && !fitsOne(ignoreModels) ? undefined : 'model-not-allowed';
}

/** Whether policies allow a model. */
export const allowsModel = (rules: Rules, id: string): boolean => forbids(rules, id) === undefined;

/** Whether data of a request to this model must be neither collected nor kept. */
export const refusesKeepingOf = (rules: Rules, id: string): boolean =>
  rules.refusesCollection || refusesRetentionOf(rules, id);

/** Whether data of a request to this model must not be retained. */
function refusesRetentionOf({ refusesRetention }: Rules, id: string): boolean {
  if (typeof refusesRetention === 'boolean') return refusesRetention;
  const author = id.slice(0, id.indexOf('/'));
  return refusesRetention.has(isNamedApart(author) ? author : '*');
}

const isNamedApart = (author: string): boolean => (ZDR_AUTHORS as readonly string[]).includes(author);

const widen = (requested: readonly Quantization[]): ReadonlySet<Quantization> =>
  new Set(requested.flatMap((quantization) => [quantization, ...(WIDER[quantization] ?? NONE)]));

type ExclusionDetail = Pick<Exclusion, 'reason' | 'detail'>;
type Dialects = Pick<RouteInputs, 'supportsField' | 'acceptsUndeclaredField' | 'unmetRequirement'>;

/**
 * The first reason to exclude a candidate, regardless of the credential, in order of declaration. Credentials and
 * pauses come later because they differ between copies; a caller's own key grants no exemption from these rules
 * (docs/operate/byok.md#order-of-use).
 */
export function findExclusion(
  candidate: Candidate,
  rules: Rules,
  needs: RouteNeeds,
  dialects: Dialects = {},
): ExclusionDetail | undefined {
  if (candidate.model.task !== needs.task) return { reason: 'other-task' };
  const ofProvider = rules.narrows ? excludedByProvider(candidate, rules) : undefined;
  if (ofProvider) return ofProvider;
  if (candidate.tier !== 'standard' && !sendsTier(candidate, dialects.supportsField))
    return { reason: 'unsupported-parameter', detail: 'service_tier' };
  const ofOffer = rules.narrows ? excludedByOffer(candidate, rules, needs, dialects) : undefined;
  if (ofOffer) return ofOffer;

  const { endpoint, model } = candidate;
  const { modalities, outputs, promptTokensMin: prompt, maxOutputTokens: output = 0, shortensTo } = needs;
  const { contextLength } = endpoint;
  if (prompt + output > contextLength && !(shortensTo && isShortened(shortensTo, output, contextLength))) {
    const parts = [
      ...(prompt > 0 ? [`prompt ${prompt}`] : []),
      ...(prompt > contextLength ? [] : [`${inWordsOf(needs.fieldNames, 'max_tokens')} ${output}`]),
    ];
    return { reason: 'context-length', detail: `${parts.join(' + ')} > ${contextLength}` };
  }
  const outputMax = endpoint.maxCompletionTokens ?? model.maxCompletionTokens ?? Infinity;
  if (output > outputMax) return { reason: 'max-tokens', detail: `${output} > ${outputMax}` };
  if (modalities.length > 0) {
    const unread = modalities.find((modality) => !model.inputModalities.includes(modality));
    if (unread !== undefined) return { reason: 'modality', detail: unread };
  }
  const unmade = outputs?.find((modality) => !model.outputModalities.includes(modality));
  return unmade === undefined ? undefined : { reason: 'modality', detail: `${unmade} output` };
}

/** Exclusion by the provider's identity and its data policy. */
function excludedByProvider(candidate: Candidate, rules: Rules): ExclusionDetail | undefined {
  const { model, provider } = candidate;
  const notAllowedBy = rules.only.length > 0 ? findList(rules.only, candidate, false) : undefined;
  if (notAllowedBy) return { reason: 'not-allowed', detail: listName(notAllowedBy, 'provider.only') };
  const ignoredBy = rules.ignore.length > 0 ? findList(rules.ignore, candidate, true) : undefined;
  if (ignoredBy) return { reason: 'ignored', detail: listName(ignoredBy, 'provider.ignore') };
  if (rules.onlyOrdered && findSlug(rules.order, candidate) === -1) return { reason: 'not-in-order' };

  if (rules.refusesCollection && collects(provider.policy)) return { reason: 'collects-data' };
  const isRetaining = rules.refusesRetention !== false && !provider.policy.zeroDataRetention;
  if (isRetaining && refusesRetentionOf(rules, model.id)) return { reason: 'retains-data' };
  if (rules.preferences.enforceDistillableText === true && model.distillable !== true)
    return { reason: 'not-distillable' };
  return undefined;
}

/** Exclusion by service tier, supported parameters and price. */
function excludedByOffer(
  candidate: Candidate,
  rules: Rules,
  needs: RouteNeeds,
  { supportsField, acceptsUndeclaredField, unmetRequirement }: Dialects,
): ExclusionDetail | undefined {
  const { quantization } = candidate.endpoint;
  if (rules.quantizations?.has(quantization) === false) return { reason: 'quantization', detail: quantization };
  if (rules.preferences.requireParameters === true) {
    const unsupported =
      needs.parameters.find((parameter) => !takes(candidate, parameter, supportsField)) ??
      (needs.pricedOptions && unpricedField(needs.pricedOptions, candidate));
    if (unsupported !== undefined) return { reason: 'unsupported-parameter', detail: unsupported };
    const unpassed = acceptsUndeclaredField
      ? needs.undeclared?.find((field) => !acceptsUndeclaredField(candidate, field))
      : undefined;
    const lost = unpassed === undefined ? unmetRequirement?.(candidate) : shortened(unpassed);
    if (lost !== undefined) return { reason: 'unsupported-parameter', detail: lost };
  }
  const above = rules.caps && findPriceAbove(rules.caps, candidate, needs);
  return above === undefined ? undefined : { reason: 'max-price', detail: above };
}

/** Whether the request is shortened for this context length with tokens left for its answer. */
const isShortened = ([least, most]: readonly [number, number], output: number, contextLength: number): boolean =>
  least <= contextLength && contextLength <= most && output < contextLength;

/**
 * Whether a parameter of the request has an effect at the candidate: the endpoint lists it and the dialect sends it.
 * For parameters that such lists never contain, the dialect alone decides.
 */
function takes(candidate: Candidate, parameter: RequestField, supportsField: RouteInputs['supportsField']): boolean {
  // Without a list that names it, an effect of the parameter is not certain, and a strict request requires certainty.
  const isListed =
    UNLISTED.has(parameter) || (isListing(candidate.endpoint) && supports(candidate.endpoint, parameter));
  return isListed && (supportsField?.(candidate, parameter) ?? true);
}

/** Whether its provider is sent the tier: otherwise it serves, and charges, its default. */
export const sendsTier = (candidate: Candidate, supportsField: RouteInputs['supportsField']): boolean =>
  candidate.tier === 'standard' || (supportsField?.(candidate, 'service_tier') ?? true);

/** Fields that parameter lists contain never, or too seldom for their absence to mean anything. */
const UNLISTED: ReadonlySet<RequestField> = new Set<RequestField>([
  'parallel_tool_calls', 'reasoning_summary', 'task_budget', 'context_management', 'cache_control', 'metadata', 'image_config',
]); // oxfmt-ignore

type Participation = Readonly<Record<ServiceTier, boolean>>;
const FASTER: Participation = { standard: true, fast: true, priority: true, flex: false };

/**
 * The tiers that may serve each requested tier (docs/use/messages.md#speed-and-tier,
 * docs/use/choosing-providers.md#service-tiers).
 */
const TAKES_PART: Readonly<Record<ServiceTier, Participation>> = {
  standard: { standard: true, fast: false, priority: false, flex: false },
  fast: FASTER,
  priority: FASTER,
  flex: { standard: true, fast: false, priority: false, flex: true },
};

/** Whether its tier was requested, by the request or by a full slug such as `openai/priority`. */
export const takesPart = (candidate: Candidate, { fullSlugs }: Rules, { tier }: RouteNeeds): boolean =>
  TAKES_PART[tier][candidate.tier] || (fullSlugs.length > 0 && findSlug(fullSlugs, candidate) !== -1);

/** docs/use/choosing-providers.md#unsupported-parameters: the other name by which a list may declare a parameter. */
const ALSO_BY: Readonly<Partial<Record<RequestField, RequestField>>> = {
  structured_outputs: 'response_format',
  reasoning_effort: 'reasoning',
};

const isListing = ({ supportedParameters }: Endpoint): boolean => supportedParameters.length > 0;

/** An empty list means unknown: where parameters are optional, that counts as supporting all. */
export function supports(endpoint: Endpoint, parameter: RequestField): boolean {
  const { supportedParameters } = endpoint;
  if (!isListing(endpoint) || supportedParameters.includes(parameter)) return true;
  const alternative = ALSO_BY[parameter];
  return alternative !== undefined && supportedParameters.includes(alternative);
}

/** The list that decides: the first that includes the candidate, or the first that does not. */
function findList(lists: readonly SlugList[], candidate: Candidate, includes: boolean): SlugList | undefined {
  for (const list of lists) {
    if ((findSlug(list.patterns, candidate, list.isPolicy) !== -1) === includes) return list;
  }
  return undefined;
}

const listName = (list: SlugList | undefined, field: string): string => (list?.isPolicy ? 'policy' : field);
