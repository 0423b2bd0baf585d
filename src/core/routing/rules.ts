import { readCaps, type ReadCaps } from './price-caps.js';
import type { Quantization } from './preferences.js';
import { matchesModel } from './model-pattern.js';
import { ZDR_AUTHORS, type RouteNeeds, type RoutingPolicy } from './route-inputs.js';
import { readSlug, type SlugPattern } from './slug.js';

/** Patterns of one list; those of a policy speak of companies, so their base slugs cover the tiers as well. */
export interface SlugList {
  readonly patterns: readonly SlugPattern[];
  readonly isPolicy: boolean;
}

/** A request's preferences and the policies above it as one, read once per plan. Absent: asks for nothing. */
export interface Rules {
  readonly needs: RouteNeeds;
  /** A candidate must be in each of them. */
  readonly only: readonly SlugList[];
  /** A candidate must be in none of them. */
  readonly ignore: readonly SlugList[];
  /** Empty: no order was asked for. */
  readonly order: readonly SlugPattern[];
  /** Entries of `order` and `only` that may name a tier: they bring it in unasked (WIRE 3.2). */
  readonly fullSlugs: readonly SlugPattern[];
  /** `order` without fallbacks. */
  readonly onlyOrdered: boolean;
  /** No order and no fallbacks. */
  readonly onlyFirst: boolean;
  readonly refusesCollection: boolean;
  /** For all models, or those of these authors; `*` is all that are not named apart. */
  readonly refusesRetention: boolean | ReadonlySet<string>;
  /** A model must fit one of each of these. */
  readonly onlyModels: readonly (readonly string[])[];
  /** A model must fit none of these. */
  readonly ignoreModels: readonly string[];
  readonly quantizations?: ReadonlySet<Quantization>;
  readonly caps?: ReadCaps;
}

/** WIRE 1.10: formats that asking for the plain width also matches. */
const WIDER: Partial<Readonly<Record<Quantization, readonly Quantization[]>>> = {
  fp4: ['mxfp4', 'nvfp4'],
  fp8: ['mxfp8'],
};

const NONE: readonly never[] = [];

/**
 * An empty list in a request says nothing; an empty `only` of a policy allows nobody.
 * @throws GatewayError `invalid-request` for a price that is no decimal
 */
export function readRules(needs: RouteNeeds, policies: readonly RoutingPolicy[]): Rules {
  const { preferences } = needs;
  const order = readList(preferences.order);
  const allowed = readList(preferences.only);
  const ignored = readList(preferences.ignore);
  const only: SlugList[] = allowed.length > 0 ? [{ patterns: allowed, isPolicy: false }] : [];
  const ignore: SlugList[] = ignored.length > 0 ? [{ patterns: ignored, isPolicy: false }] : [];
  let refusesCollection = preferences.dataCollection === 'deny';
  let refusesRetention = preferences.zeroDataRetention === true;
  const authors = new Set<string>();
  const onlyModels: (readonly string[])[] = [];
  const ignoreModels: string[] = [];
  for (const policy of policies) {
    if (policy.only) only.push({ patterns: readList(policy.only), isPolicy: true });
    if (policy.ignore?.length) ignore.push({ patterns: readList(policy.ignore), isPolicy: true });
    refusesCollection ||= policy.denyDataCollection === true;
    refusesRetention ||= policy.zeroDataRetention === true;
    if (typeof policy.zeroDataRetention === 'object')
      for (const author of policy.zeroDataRetention) authors.add(author);
    if (policy.onlyModels) onlyModels.push(policy.onlyModels);
    if (policy.ignoreModels) ignoreModels.push(...policy.ignoreModels);
  }
  const noFallbacks = preferences.allowFallbacks === false;
  return {
    needs,
    only,
    ignore,
    order,
    fullSlugs:
      order.length + allowed.length > 0 ? [...order, ...allowed].filter(({ tail }) => tail !== undefined) : NONE,
    onlyOrdered: noFallbacks && order.length > 0,
    onlyFirst: noFallbacks && order.length === 0,
    refusesCollection,
    refusesRetention: refusesRetention || (authors.size > 0 && authors),
    onlyModels: onlyModels.length > 0 ? onlyModels : NONE,
    ignoreModels: ignoreModels.length > 0 ? ignoreModels : NONE,
    ...(preferences.quantizations?.length && { quantizations: widen(preferences.quantizations) }),
    ...(preferences.maxPrice && { caps: readCaps(preferences.maxPrice) }),
  };
}

/** Whether policies let a model take part at all. */
export const allowsModel = ({ onlyModels, ignoreModels }: Rules, id: string): boolean =>
  onlyModels.every((patterns) => patterns.some((pattern) => matchesModel(pattern, id))) &&
  !ignoreModels.some((pattern) => matchesModel(pattern, id));

/** Whether data of a request to this model must not be retained. */
export function refusesRetentionOf({ refusesRetention }: Rules, id: string): boolean {
  if (typeof refusesRetention === 'boolean') return refusesRetention;
  const author = id.slice(0, id.indexOf('/'));
  return refusesRetention.has(isNamedApart(author) ? author : '*');
}

const isNamedApart = (author: string): boolean => (ZDR_AUTHORS as readonly string[]).includes(author);

const readList = (entries: readonly string[] | undefined): readonly SlugPattern[] => entries?.map(readSlug) ?? NONE;

const widen = (asked: readonly Quantization[]): ReadonlySet<Quantization> =>
  new Set(asked.flatMap((quantization) => [quantization, ...(WIDER[quantization] ?? NONE)]));
