// Prices of tokens for every class, tier and length, and the compared price. Tables at, below and above each length,
// with overlapping lists and lists without some classes.
import type { Pricing } from './catalog.js';
import { comparedPrice, findTokenPrice, SIDE_OF, tokenPrice, type TokenClass } from './leg-price.js';
import { SERVICE_TIERS, type ServiceTier } from './plan.js';

const pricing: Pricing = {
  prompt: 3n,
  completion: 15n,
  inputCacheRead: 1n,
  tiers: [
    { minPromptTokens: 100, prompt: 6n, inputCacheWrite: 8n },
    { minPromptTokens: 200, prompt: 12n, completion: 22n },
  ],
  fast: { prompt: 30n },
  priority: { reasoning: 40n, inputCacheWrite: 9n },
  flex: { completion: 7n, tiers: [{ minPromptTokens: 150, completion: 10n }] },
};

describe('tokenPrice', () => {
  it.each<[TokenClass, ServiceTier, number, bigint, string]>([
    ['prompt', 'standard', 0, 3n, 'the plain list'],
    ['prompt', 'standard', 99, 3n, 'one below a length'],
    ['prompt', 'standard', 100, 6n, 'at a length'],
    ['prompt', 'standard', 101, 6n, 'one above it'],
    ['prompt', 'standard', 199, 6n, 'one below the next'],
    ['prompt', 'standard', 200, 12n, 'at the next'],
    ['completion', 'standard', 199, 15n, 'a length that does not name the class'],
    ['completion', 'standard', 200, 22n, 'one that does'],
    ['inputCacheWrite', 'standard', 200, 8n, 'the longest length that names the class'],
    ['inputCacheRead', 'standard', 200, 1n, 'no length names it: the plain list'],
    ['prompt', 'fast', 200, 30n, "the tier's own list before any length"],
    ['completion', 'fast', 200, 22n, 'what the tier does not name, by length'],
    ['prompt', 'flex', 0, 3n, 'a tier whose list leaves the class out'],
    ['completion', 'flex', 149, 7n, "one below a tier's own length"],
    ['completion', 'flex', 200, 10n, "a tier's own length before that of the plain list"],
    ['prompt', 'flex', 150, 6n, 'what no length of the tier names, by length'],
    ['inputCacheWrite1h', 'standard', 0, 3n, 'a class without a price: its side'],
    ['inputCacheWrite1h', 'standard', 100, 6n, 'its side at this length'],
    ['inputCacheWrite1h', 'fast', 100, 30n, 'its side in this tier'],
    ['inputCacheWrite', 'standard', 99, 3n, 'named for longer prompts only: its side'],
    ['inputCacheWrite', 'priority', 100, 9n, 'a tier that names what is no plain class'],
    ['reasoning', 'standard', 200, 22n, 'reasoning as the answer'],
    ['reasoning', 'priority', 200, 40n, 'reasoning apart'],
  ])('%s in %s at %d tokens costs %d (%s)', (kind, tier, promptTokens, expected) => {
    expect(tokenPrice(pricing, kind, tier, promptTokens)).toBe(expected);
  });

  it('is the price in the catalog, wherever it has one', () => {
    for (const kind of Object.keys(SIDE_OF) as TokenClass[]) {
      for (const tier of SERVICE_TIERS) {
        for (const promptTokens of [0, 99, 100, 200]) {
          const named = findTokenPrice(pricing, kind, tier, promptTokens);
          const side = tokenPrice(pricing, SIDE_OF[kind], tier, promptTokens);
          expect(tokenPrice(pricing, kind, tier, promptTokens)).toBe(named ?? side);
        }
      }
    }
  });

  it('allows a free class on a side with a price', () => {
    expect(tokenPrice({ ...pricing, inputCacheRead: 0n }, 'inputCacheRead', 'standard', 0)).toBe(0n);
  });
});

describe('comparedPrice', () => {
  it('is prompt and completion per million tokens, 0 where it is free', () => {
    expect(
      comparedPrice({ prompt: 3_000_000n, completion: 500_000n, tiers: [] }, 'standard', { promptTokensMin: 0 }),
    ).toBe(3.5);
    expect(comparedPrice(null, 'fast', { promptTokensMin: 0 })).toBe(0);
  });
});

describe('fees in the compared price', () => {
  const free: Pricing = { prompt: 0n, completion: 0n, tiers: [] };
  const usd = (amount: number): bigint => BigInt(amount * 1e12);

  it.each<[string, Partial<Pricing>, Parameters<typeof comparedPrice>[2], number]>([
    ['none is charged', {}, { promptTokensMin: 1_000, images: 3, webSearches: 3 }, 0],
    ['the request, over the tokens of both sides', { request: usd(0.5) }, { promptTokensMin: 1_000 }, 500],
    ['a shorter answer', { request: usd(0.5) }, { promptTokensMin: 900, maxOutputTokens: 100 }, 1_000],
    ['a longer answer than most are', { request: usd(0.5) }, { promptTokensMin: 1_000, maxOutputTokens: 64_000 }, 500],
    ['each image', { image: usd(0.01) }, { promptTokensMin: 1_000, images: 3 }, 30],
    ['no image', { image: usd(0.01) }, { promptTokensMin: 1_000 }, 0],
    ['each search', { webSearch: usd(0.01) }, { promptTokensMin: 1_000, webSearches: 1 }, 10],
  ])('%s', (_, fees, size, expected) => {
    expect(comparedPrice({ ...free, ...fees }, 'standard', size)).toBeCloseTo(expected, 6);
    expect(comparedPrice({ ...free, prompt: 2_000_000n, ...fees }, 'standard', size)).toBeCloseTo(expected + 2, 6);
  });
});
