import type { TaskKind } from '../core/conversation/task.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { PriceTier, Pricing, TariffPrices, TokenPrices, UnitPrices } from '../core/routing/catalog.js';
import {
  TOKEN_CLASS_NAMES,
  TOKEN_CLASSES,
  UNIT_NAMES,
  UNITS,
  type TokenClassName,
  type UnitName,
} from '../core/routing/price-classes.js';
import type { Field } from './field.js';
import { readGeographies, type GeographyPrices } from './read-geographies.js';

type Writable<T> = { -readonly [Name in keyof T]?: PicoUsd };

const OPTIONAL_CLASSES = TOKEN_CLASS_NAMES.filter((name) => name !== 'prompt' && name !== 'completion');

/** Service tiers with separate prices. */
export const TARIFFS = ['fast', 'priority', 'flex'] as const;
type Tariff = (typeof TARIFFS)[number];

/** The prices of an endpoint, and those of the same endpoint in each geography. */
export interface EndpointPrices {
  readonly pricing: Pricing;
  readonly geographies: GeographyPrices;
}

/**
 * Reads `pricing` of an endpoint, exactly. Undefined: at least one fault was recorded.
 * @param task of its model, which generates nothing: either the prompt or the request has a price
 */
export function readPricing(field: Field, task?: TaskKind): EndpointPrices | undefined {
  const members = field.members<TokenClassName | UnitName | 'tiers' | Tariff | 'geo'>(
    task ? [] : ['prompt', 'completion'],
    [...(task ? (['prompt', 'completion'] as const) : []), ...OPTIONAL_CLASSES, ...UNIT_NAMES, 'tiers', ...TARIFFS, 'geo'],
  );
  if (!members) return undefined;
  if (task && !members.has('prompt') && !members.has('request')) return field.refuse('must have prompt or request');
  const nothing = task && 0n;
  const { prompt = nothing, completion = nothing, ...others } = readTokenPrices(members);
  const perUnit: Writable<UnitPrices> = {};
  for (const unit of UNIT_NAMES) {
    const price = members.get(unit)?.pricePerUnit();
    if (price !== undefined) perUnit[UNITS[unit]] = price;
  }
  const tiers = readTiers(members.get('tiers'));
  const tariffs: { -readonly [Name in Tariff]?: TariffPrices } = {};
  for (const tariff of TARIFFS) {
    const prices = members.get(tariff)?.members<TokenClassName | 'tiers'>([], [...TOKEN_CLASS_NAMES, 'tiers']);
    if (!prices) continue;
    const lengths = readTiers(prices.get('tiers'));
    tariffs[tariff] = { ...readTokenPrices(prices), ...(lengths.length > 0 && { tiers: lengths }) };
  }
  const pricing: Pricing | undefined =
    prompt === undefined || completion === undefined
      ? undefined
      : { prompt, completion, ...others, ...perUnit, tiers, ...tariffs };
  const geographies = readGeographies(members.get('geo'), pricing);
  return pricing && { pricing, geographies };
}

function readTiers(field: Field | undefined): readonly PriceTier[] {
  const tiers: PriceTier[] = [];
  for (const item of field?.items() ?? []) {
    const members = item.members<TokenClassName | 'min_prompt_tokens'>(['min_prompt_tokens'], TOKEN_CLASS_NAMES);
    const minPromptTokens = members?.get('min_prompt_tokens')?.positiveInteger();
    if (!members || minPromptTokens === undefined) continue;
    const before = tiers.at(-1);
    if (before && minPromptTokens <= before.minPromptTokens) {
      members.get('min_prompt_tokens')?.refuse('must be above that of the tier before');
    }
    tiers.push({ minPromptTokens, ...readTokenPrices(members) });
  }
  return tiers;
}

function readTokenPrices(members: ReadonlyMap<string, Field>): Writable<TokenPrices> {
  const prices: Writable<TokenPrices> = {};
  for (const name of TOKEN_CLASS_NAMES) {
    const price = members.get(name)?.pricePerToken();
    if (price !== undefined) prices[TOKEN_CLASSES[name]] = price;
  }
  return prices;
}
