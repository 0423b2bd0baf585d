import type { Endpoint, PriceTier, Pricing, TariffPrices, TokenPrices } from '../core/routing/catalog.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { Factor, Field } from './field.js';

/** The geography of requests that name none: it has the plain prices. */
const ANYWHERE = 'global';

/** The prices of an endpoint in each geography with prices of its own; empty where there is none. */
export type GeographyPrices = ReadonlyMap<string, Pricing>;

/**
 * Reads `geo` of a price list: the factor of every token price in each geography. Exact: a factor that would make a
 * price finer than the smallest amount is refused.
 */
export function readGeographies(field: Field | undefined, pricing: Pricing | undefined): GeographyPrices {
  const prices = new Map<string, Pricing>();
  for (const [word, value] of field?.entries() ?? []) {
    if (word === ANYWHERE) {
      value.refuse('must not be priced apart: it applies where no geography is requested');
      continue;
    }
    const factor = value.factor();
    if (factor === undefined || !pricing) continue;
    const multiplied = multiply(pricing, factor);
    if (multiplied) prices.set(word, multiplied);
    else value.refuse('must keep every price a whole number of 10^-12 USD a token; give it fewer decimals');
  }
  return prices;
}

/** The endpoint with a copy of itself for each geography. */
export function withGeographies(elsewhere: Endpoint, prices: GeographyPrices): Endpoint {
  if (prices.size === 0) return elsewhere;
  const geographies = new Map<string, Endpoint>();
  const endpoint: Endpoint = { ...elsewhere, geographies };
  for (const [word, pricing] of prices) {
    geographies.set(word, { ...elsewhere, pricing, geography: { word, elsewhere: endpoint } });
  }
  return endpoint;
}

/** Undefined where a price would not be exact. Prices per use or request are the same everywhere. */
function multiply(pricing: Pricing, factor: Factor): Pricing | undefined {
  const { request, image, webSearch, tiers, fast, priority, flex, ...tokens } = pricing;
  let isExact = true;
  const times = <Prices extends Partial<TokenPrices>>(prices: Prices): Prices => {
    const multiplied: { -readonly [Name in keyof TokenPrices]?: PicoUsd } = {};
    for (const [name, price] of Object.entries(prices) as [keyof TokenPrices, PicoUsd][]) {
      const product = price * factor.numerator;
      isExact &&= product % factor.denominator === 0n;
      multiplied[name] = product / factor.denominator;
    }
    return multiplied as Prices;
  };
  const timesLength = ({ minPromptTokens, ...prices }: PriceTier): PriceTier => ({ minPromptTokens, ...times(prices) });
  const timesTariff = ({ tiers: lengths, ...prices }: TariffPrices): TariffPrices => ({
    ...times(prices),
    ...(lengths && { tiers: lengths.map(timesLength) }),
  });
  const multiplied: Pricing = {
    ...times(tokens),
    ...(request !== undefined && { request }),
    ...(image !== undefined && { image }),
    ...(webSearch !== undefined && { webSearch }),
    tiers: tiers.map(timesLength),
    ...(fast && { fast: timesTariff(fast) }),
    ...(priority && { priority: timesTariff(priority) }),
    ...(flex && { flex: timesTariff(flex) }),
  };
  return isExact ? multiplied : undefined;
}
