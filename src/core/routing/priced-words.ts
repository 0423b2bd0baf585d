import type { ModelRequest } from '../conversation/request.js';
import type { Opaque } from '../json/json.js';
import type { Endpoint } from './catalog.js';
import type { ServiceTier } from './plan.js';

/**
 * Something of a request that its provider charges apart. It goes out only from a leg whose catalog has the prices for
 * it; every other leg sends the request without (docs/wire/routing.md#words-with-a-price).
 */
export interface PricedWord {
  /** The field as callers name it, or `BETAS` for a name in that header. */
  readonly field: string;
  readonly value: string;
}

/** The header whose names are words as well. */
export const BETAS = 'anthropic-beta';

/** What of a leg says which words it has prices for. */
export type PricedLeg = { readonly endpoint: Endpoint; readonly tier: ServiceTier };

/** Whether the catalog has the prices that a word needs. */
type PriceList = (leg: PricedLeg, value: string) => boolean;

/** Two names of one service (docs/wire/messages.md#speed-and-tier). */
const FASTER: PriceList = ({ tier }) => tier === 'fast' || tier === 'priority';
const FLEX: PriceList = ({ tier }) => tier === 'flex';
const GEOGRAPHY: PriceList = ({ endpoint }, value) => endpoint.geography?.word === value;
const WEB_SEARCH: PriceList = ({ endpoint }) => endpoint.pricing?.webSearch !== undefined;
/** A catalog that says the context is longer says what a prompt costs there. */
const LONG_PROMPTS: PriceList = ({ endpoint }) => endpoint.contextLength > PLAIN_CONTEXT_TOKENS;
/** No list of the catalog can hold it: sold by contract, or charged as a model that nobody here chose. */
const UNPUBLISHED: PriceList = () => false;

/** Longer prompts had to be asked for by a beta, and cost more. */
const PLAIN_CONTEXT_TOKENS = 200_000;

/** Words of `service_tier` for what is served, and charged, where nothing is said. */
const PLAIN_TIERS: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand']);
const PLAIN_GEOGRAPHY = 'global';

const TIER_LISTS: ReadonlyMap<string, PriceList> = new Map([
  ['fast', FASTER],
  ['priority', FASTER],
  ['flex', FLEX],
]);

/** Names of betas that change a price, without their dates: a later one of the name is the same feature. */
const BETA_LISTS: readonly (readonly [name: string, list: PriceList])[] = [
  ['fast-mode-', FASTER],
  ['context-1m-', LONG_PROMPTS],
  ['server-side-fallback-', UNPUBLISHED],
  ['fallback-credit-', UNPUBLISHED],
];

/** Fields core does not model by which chat upstreams search: only whether they stand there, and not off, matters. */
const SEARCH_FIELDS: readonly string[] = ['web_search_options', 'search_parameters', 'enable_search'];

/** Which price list a word needs; undefined where it says what is charged anyway. */
function listOf({ field, value }: PricedWord): PriceList | undefined {
  switch (field) {
    case 'service_tier':
      return PLAIN_TIERS.has(value) ? undefined : (TIER_LISTS.get(value) ?? UNPUBLISHED);
    case 'speed':
      return value === 'fast' ? FASTER : undefined;
    case 'inference_geo':
      return value === PLAIN_GEOGRAPHY ? undefined : GEOGRAPHY;
    case BETAS:
      return BETA_LISTS.find(([name]) => value.startsWith(name))?.[1];
    default:
      return SEARCH_FIELDS.includes(field) ? WEB_SEARCH : undefined;
  }
}

const NONE: readonly never[] = [];

/** The words of a request that have a price of their own, each once, in one order. */
export function pricedWords(request: ModelRequest): readonly PricedWord[] {
  const { serviceTier, speed, inferenceGeo, betas, extras } = request;
  const words: PricedWord[] = [];
  const add = (field: string, value: string | undefined): void => {
    if (value !== undefined && listOf({ field, value })) words.push({ field, value });
  };
  add('service_tier', serviceTier);
  add('speed', speed);
  add('inference_geo', inferenceGeo);
  for (const beta of betas) add(BETAS, beta);
  if (extras) for (const field of searchFields(extras)) add(field, '');
  return words;
}

/** The fields by which a request has its provider search. */
export const searchFields = ({ value }: Opaque): readonly string[] =>
  SEARCH_FIELDS.filter((field) => Object.hasOwn(value, field) && !OFF.has(value[field]));

const OFF: ReadonlySet<unknown> = new Set([undefined, null, false]);

/** Whether this leg has prices for the word, and so sends it. */
export const isPriced = (word: PricedWord, leg: PricedLeg): boolean => listOf(word)?.(leg, word.value) ?? true;

/** The first field that this leg has no prices for. A beta is no field that an endpoint must support. */
export const unpricedField = (words: readonly PricedWord[], leg: PricedLeg): string | undefined =>
  words.find((word) => word.field !== BETAS && !isPriced(word, leg))?.field;

/** What this leg leaves out of what was asked, as it is shown: fields, and betas by their names. */
export const droppedWords = (words: readonly PricedWord[], leg: PricedLeg): readonly string[] =>
  words.filter((word) => !isPriced(word, leg)).map(({ field, value }) => (field === BETAS ? value : field));

/** The geography that is asked for at a price of its own, undefined where none is. */
export const askedGeography = (words: readonly PricedWord[] = NONE): string | undefined =>
  words.find(({ field }) => field === 'inference_geo')?.value;

/** Whether a word of `service_tier` is one of what is served where nothing is said. */
export const isPlainTier = (word: string): boolean => PLAIN_TIERS.has(word);
