import type { CatalogSnapshot, Endpoint, Model, Pricing, TokenPrices } from '../../core/routing/catalog.js';
import { formatUsd } from '../../core/money/credits.js';
import { TOKEN_CLASSES, UNITS } from '../../core/routing/price-classes.js';
import type { PricesText } from './read-prices.js';

/** An endpoint of the shipped catalog, with its model. */
export interface ShippedEndpoint {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** Finds the shipped endpoint that a deployment calls: of the same provider, by the provider's name of the model. */
export class ShippedEndpoints {
  private readonly byName = new Map<string, ShippedEndpoint>();

  constructor({ models }: Pick<CatalogSnapshot, 'models'>) {
    const every = [...models.values()].flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })));
    for (const shipped of every) this.add(shipped, shipped.endpoint.upstreamModel);
    // Then by the other names of the model: its aliases include the vendor's own short names.
    for (const shipped of every) {
      for (const name of [shipped.model.id.slice(shipped.model.id.indexOf('/') + 1), ...(shipped.model.aliases ?? [])])
        this.add(shipped, name);
    }
  }

  find(slug: string, upstreamModel: string): ShippedEndpoint | undefined {
    return this.byName.get(`${slug} ${upstreamModel}`);
  }

  private add(shipped: ShippedEndpoint, name: string): void {
    const key = `${shipped.endpoint.provider.slug} ${name}`;
    if (!this.byName.has(key)) this.byName.set(key, shipped);
  }
}

const TOKENS_PER_PRICE = 1_000_000n;

/** Prices in the form of a catalog file, without those of other geographies (`geo`). */
export function viewPricing(pricing: Pricing): PricesText {
  const { tiers, fast, priority, flex } = pricing;
  const units = Object.entries(UNITS).flatMap(([name, key]) => {
    const price = pricing[key];
    return price === undefined ? [] : [[name, formatUsd(price)] as const];
  });
  const tariffs = Object.entries({ fast, priority, flex }).flatMap(([name, prices]) =>
    prices
      ? [[name, { ...viewTokens(prices), ...(prices.tiers && { tiers: prices.tiers.map(viewTier) }) }] as const]
      : [],
  );
  return {
    ...viewTokens(pricing),
    ...Object.fromEntries(units),
    ...(tiers.length > 0 && { tiers: tiers.map(viewTier) }),
    ...Object.fromEntries(tariffs),
  };
}

const viewTier = ({ minPromptTokens, ...prices }: Pricing['tiers'][number]): PricesText => ({
  min_prompt_tokens: minPromptTokens,
  ...viewTokens(prices),
});

const viewTokens = (prices: Partial<TokenPrices>): PricesText =>
  Object.fromEntries(
    Object.entries(TOKEN_CLASSES).flatMap(([name, key]) => {
      const price = prices[key];
      return price === undefined ? [] : [[name, formatUsd(price * TOKENS_PER_PRICE)] as const];
    }),
  );
