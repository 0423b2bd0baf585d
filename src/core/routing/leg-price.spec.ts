// Goal: one function says what a token costs, for every class, tier and length. Method: tables at, below and above each
// length, with lists that overlap and lists that leave classes out.
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
    ['completion', 'flex', 0, 15n, 'a tier without a list'],
    ['inputCacheWrite1h', 'standard', 0, 3n, 'a class nobody names: its side'],
    ['inputCacheWrite1h', 'standard', 100, 6n, 'its side at this length'],
    ['inputCacheWrite1h', 'fast', 100, 30n, 'its side in this tier'],
    ['inputCacheWrite', 'standard', 99, 3n, 'named for longer prompts only: its side'],
    ['inputCacheWrite', 'priority', 100, 9n, 'a tier that names what is no plain class'],
    ['reasoning', 'standard', 200, 22n, 'reasoning as the answer'],
    ['reasoning', 'priority', 200, 40n, 'reasoning apart'],
  ])('%s in %s at %d tokens costs %d (%s)', (kind, tier, promptTokens, expected) => {
    expect(tokenPrice(pricing, kind, tier, promptTokens)).toBe(expected);
  });

  it('is what the catalog names, wherever it names anything', () => {
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

  it('lets a class be free while its side is not', () => {
    expect(tokenPrice({ ...pricing, inputCacheRead: 0n }, 'inputCacheRead', 'standard', 0)).toBe(0n);
  });
});

describe('comparedPrice', () => {
  it('is prompt and completion per million tokens, 0 where it is free', () => {
    expect(comparedPrice({ prompt: 3_000_000n, completion: 500_000n, tiers: [] }, 'standard', 0)).toBe(3.5);
    expect(comparedPrice(null, 'fast', 0)).toBe(0);
  });
});
