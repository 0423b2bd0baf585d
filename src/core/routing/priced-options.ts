import type { ModelRequest } from '../conversation/request.js';
import type { Opaque } from '../json/json.js';
import type { Endpoint } from './catalog.js';
import type { ServiceTier } from './plan.js';

/**
 * A part of a request that its provider charges separately. It is sent only by a leg whose catalog entry has the prices
 * for it; every other leg omits it (docs/use/choosing-providers.md#options-that-change-the-price).
 */
export interface PricedOption {
  /** The field as callers name it, or `BETAS` for a name in that header. */
  readonly field: string;
  readonly value: string;
}

/** The header whose names are priced options as well. */
export const BETAS = 'anthropic-beta';

/** The parts of a leg that determine which options have prices. */
export type PricedLeg = { readonly endpoint: Endpoint; readonly tier: ServiceTier };

/** Whether the catalog has the prices that an option needs. */
type PriceList = (leg: PricedLeg, value: string) => boolean;

/** Prices of `fast` and `priority`, two names of one service (docs/use/messages.md#speed-and-tier). */
const FASTER: PriceList = ({ tier }) => tier === 'fast' || tier === 'priority';
const FLEX: PriceList = ({ tier }) => tier === 'flex';
const GEOGRAPHY: PriceList = ({ endpoint }, value) => endpoint.geography?.word === value;
const WEB_SEARCH: PriceList = ({ endpoint }) => endpoint.pricing?.webSearch !== undefined;
/** A catalog entry with a longer context includes the price of a prompt of that length. */
const LONG_PROMPTS: PriceList = ({ endpoint }) => endpoint.contextLength > PLAIN_CONTEXT_TOKENS;
/** No catalog entry can price it: it is sold by contract, or charged as a model that the gateway did not choose. */
const UNPUBLISHED: PriceList = () => false;

/** Longer prompts required a beta, and cost more. */
const PLAIN_CONTEXT_TOKENS = 200_000;

/** Values of `service_tier` that mean the default service and price. */
const PLAIN_TIERS: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'standard_only', 'on_demand']);
const PLAIN_GEOGRAPHY = 'global';

const TIER_LISTS: ReadonlyMap<string, PriceList> = new Map([
  ['fast', FASTER],
  ['priority', FASTER],
  ['flex', FLEX],
]);

/** Names of betas that change a price, without their dates: a later date of the same name is the same feature. */
const BETA_LISTS: readonly (readonly [name: string, list: PriceList])[] = [
  ['fast-mode-', FASTER],
  ['context-1m-', LONG_PROMPTS],
  ['server-side-fallback-', UNPUBLISHED],
  ['fallback-credit-', UNPUBLISHED],
];

/**
 * Fields that core does not model and by which chat upstreams search: only their presence, unless switched off,
 * matters.
 */
const SEARCH_FIELDS: readonly string[] = ['web_search_options', 'search_parameters', 'enable_search'];

/** The price list that an option needs; undefined where the option does not change the price. */
function listOf({ field, value }: PricedOption): PriceList | undefined {
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

/** The options of a request that have a separate price, each once, in a stable order. */
export function pricedOptions(request: ModelRequest): readonly PricedOption[] {
  const { serviceTier, speed, inferenceGeo, betas, extras } = request;
  const options: PricedOption[] = [];
  const add = (field: string, value: string | undefined): void => {
    if (value !== undefined && listOf({ field, value })) options.push({ field, value });
  };
  add('service_tier', serviceTier);
  add('speed', speed);
  add('inference_geo', inferenceGeo);
  for (const beta of betas) add(BETAS, beta);
  if (extras) for (const field of searchFields(extras)) add(field, '');
  return options;
}

/** The fields by which a request makes its provider search. */
export const searchFields = ({ value }: Opaque): readonly string[] =>
  SEARCH_FIELDS.filter((field) => Object.hasOwn(value, field) && !OFF.has(value[field]));

const OFF: ReadonlySet<unknown> = new Set([undefined, null, false]);

/** Whether this leg has prices for the option, and therefore sends it. */
export const isPriced = (option: PricedOption, leg: PricedLeg): boolean => listOf(option)?.(leg, option.value) ?? true;

/** The first field that this leg has no prices for. A beta is not a field that an endpoint must support. */
export const unpricedField = (options: readonly PricedOption[], leg: PricedLeg): string | undefined =>
  options.find((option) => option.field !== BETAS && !isPriced(option, leg))?.field;

/** The priced options that this leg omits, for display: fields, and betas by their names. */
export const droppedOptions = (options: readonly PricedOption[], leg: PricedLeg): readonly string[] =>
  options.filter((option) => !isPriced(option, leg)).map(({ field, value }) => (field === BETAS ? value : field));

/** The requested geography, where it has a separate price; else undefined. */
export const requestedGeography = (options: readonly PricedOption[] = NONE): string | undefined =>
  options.find(({ field }) => field === 'inference_geo')?.value;

/** Whether a value of `service_tier` means the default service. */
export const isPlainTier = (option: string): boolean => PLAIN_TIERS.has(option);
