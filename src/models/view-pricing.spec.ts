/** Prices are shown exactly, per token, for each tier and length; the amounts are compared with the planner's. */
import type { Pricing } from '../core/routing/catalog.js';
import { tokenPrice } from '../core/routing/leg-price.js';
import { viewPricing } from './view-pricing.js';

const PRICING: Pricing = {
  prompt: 3_000_000n,
  completion: 15_000_000n,
  reasoning: 20_000_000n,
  inputCacheRead: 300_000n,
  inputCacheWrite: 3_750_000n,
  inputCacheWrite1h: 6_000_000n,
  request: 5_000_000_000n,
  image: 1n,
  webSearch: 10_000_000_000n,
  tiers: [
    { minPromptTokens: 100, prompt: 6_000_000n, inputCacheRead: 600_000n },
    { minPromptTokens: 200, completion: 22_500_000n },
  ],
  fast: { prompt: 30_000_000n, completion: 150_000_000n },
  flex: { completion: 7_000_000n, tiers: [{ minPromptTokens: 150, completion: 10_000_000n }] },
};

describe('viewPricing', () => {
  it('shows every class in USD per token and every unit in USD', () => {
    expect(viewPricing(PRICING, 'standard')).toEqual({
      prompt: '0.000003',
      completion: '0.000015',
      internal_reasoning: '0.00002',
      input_cache_read: '0.0000003',
      input_cache_write: '0.00000375',
      input_cache_write_1h: '0.000006',
      request: '0.005',
      image: '0.000000000001',
      web_search: '0.01',
      overrides: [
        { min_prompt_tokens: 100, prompt: '0.000006', input_cache_read: '0.0000006' },
        { min_prompt_tokens: 200, completion: '0.0000225' },
      ],
    });
  });

  it('shows a tier by its own prices, which hold for every length', () => {
    expect(viewPricing(PRICING, 'fast')).toMatchObject({
      prompt: '0.00003',
      completion: '0.00015',
      input_cache_read: '0.0000003',
      overrides: [{ min_prompt_tokens: 100, input_cache_read: '0.0000006' }],
    });
  });

  it('shows the lengths of a tier itself before those of the plain list', () => {
    expect(viewPricing(PRICING, 'flex').overrides).toEqual([
      { min_prompt_tokens: 100, prompt: '0.000006', input_cache_read: '0.0000006' },
      { min_prompt_tokens: 150, completion: '0.00001' },
    ]);
  });

  it('leaves out what the catalog does not price', () => {
    expect(viewPricing({ prompt: 1n, completion: 0n, tiers: [] }, 'standard')).toEqual({
      prompt: '0.000000000001',
      completion: '0',
    });
  });

  it('shows what is free as free', () => {
    expect(viewPricing(null, 'standard')).toEqual({ prompt: '0', completion: '0' });
  });

  it('amounts to what is charged, whatever the length', () => {
    const exactly = (text: unknown): bigint => BigInt(Math.round(Number(text) * 1e12));
    for (const tier of ['standard', 'fast', 'flex'] as const) {
      const view = viewPricing(PRICING, tier);
      for (const tokens of [0, 99, 100, 149, 150, 199, 200]) {
        // Later entries win.
        const reached = (view.overrides ?? []).filter((one) => one.min_prompt_tokens <= tokens);
        const shown = Object.assign({}, view, ...reached) as typeof view;
        for (const side of ['prompt', 'completion'] as const) {
          expect([tier, tokens, side, exactly(shown[side])]).toEqual([
            tier,
            tokens,
            side,
            tokenPrice(PRICING, side, tier, tokens),
          ]);
        }
      }
    }
  });
});
