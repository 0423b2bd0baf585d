import type { PicoUsd } from '../core/money/credits.js';
import type { PriceTier, Pricing, TariffPrices, TokenPrices, UnitPrices } from '../core/routing/catalog.js';
import type { Field } from './field.js';
import { readGeographies, type GeographyPrices } from './read-geographies.js';

type Writable<T> = { -readonly [Name in keyof T]?: PicoUsd };

const TOKEN_CLASSES = {
  prompt: 'prompt',
  completion: 'completion',
  reasoning: 'reasoning',
  input_cache_read: 'inputCacheRead',
  input_cache_write: 'inputCacheWrite',
  input_cache_write_1h: 'inputCacheWrite1h',
} as const satisfies Record<string, keyof TokenPrices>;

const UNITS = { request: 'request', image: 'image', web_search: 'webSearch' } as const satisfies Record<
  string,
  keyof UnitPrices
>;

type TokenClass = keyof typeof TOKEN_CLASSES;
type Unit = keyof typeof UNITS;

const tokenClasses = Object.keys(TOKEN_CLASSES) as readonly TokenClass[];
const units = Object.keys(UNITS) as readonly Unit[];
const OPTIONAL_CLASSES = tokenClasses.filter((name) => name !== 'prompt' && name !== 'completion');

/** Service speeds that are charged apart. */
const TARIFFS = ['fast', 'priority', 'flex'] as const;
type Tariff = (typeof TARIFFS)[number];

/** What `pricing` of an endpoint says: its prices, and those of the same endpoint in each geography. */
export interface EndpointPrices {
  readonly pricing: Pricing;
  readonly geographies: GeographyPrices;
}

/** Reads `pricing` of an endpoint, exactly. Undefined: at least one fault was noted. */
export function readPricing(field: Field): EndpointPrices | undefined {
  const members = field.members<TokenClass | Unit | 'tiers' | Tariff | 'geo'>(
    ['prompt', 'completion'],
    [...OPTIONAL_CLASSES, ...units, 'tiers', ...TARIFFS, 'geo'],
  );
  if (!members) return undefined;
  const { prompt, completion, ...others } = readTokenPrices(members);
  const perUnit: Writable<UnitPrices> = {};
  for (const unit of units) {
    const price = members.get(unit)?.pricePerUnit();
    if (price !== undefined) perUnit[UNITS[unit]] = price;
  }
  const tiers = readTiers(members.get('tiers'));
  const tariffs: { -readonly [Name in Tariff]?: TariffPrices } = {};
  for (const tariff of TARIFFS) {
    const prices = members.get(tariff)?.members<TokenClass | 'tiers'>([], [...tokenClasses, 'tiers']);
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
    const members = item.members<TokenClass | 'min_prompt_tokens'>(['min_prompt_tokens'], tokenClasses);
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
  for (const name of tokenClasses) {
    const price = members.get(name)?.pricePerToken();
    if (price !== undefined) prices[TOKEN_CLASSES[name]] = price;
  }
  return prices;
}
