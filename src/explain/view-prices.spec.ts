/**
 * The prices shown are exactly those of the leg, by tier and prompt length, and equal those that the planner compares.
 */
import type { Endpoint, Pricing } from '../core/routing/catalog.js';
import { tokenPrice } from '../core/routing/leg-price.js';
import { SERVICE_TIERS } from '../core/routing/plan.js';
import { viewPrices } from './view-prices.js';

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
  priority: { completion: 16_000_000n, inputCacheRead: 1n },
};

const endpointOf = (pricing: Pricing | null): Endpoint => ({
  tag: 'p',
  provider: {
    slug: 'p',
    name: 'P',
    dialect: 'openai-chat',
    baseUrl: 'https://example.com',
    policy: { collectsData: false, zeroDataRetention: true },
  },
  upstreamModel: 'm',
  pricing,
  quantization: 'unknown',
  contextLength: 1,
  supportedParameters: [],
});

const UNITS = { request: '0.005', image: '0.000000000001', web_search: '0.01' };
const COMMON = { reasoning: '20', input_cache_write: '3.75', input_cache_write_1h: '6', ...UNITS };

describe('viewPrices', () => {
  it.each([
    ['standard', 0, { prompt: '3', completion: '15', input_cache_read: '0.3', ...COMMON }],
    ['standard', 99, { prompt: '3', completion: '15', input_cache_read: '0.3', ...COMMON }],
    ['standard', 100, { prompt: '6', completion: '15', input_cache_read: '0.6', ...COMMON }],
    ['standard', 200, { prompt: '6', completion: '22.5', input_cache_read: '0.6', ...COMMON }],
    ['fast', 200, { prompt: '30', completion: '150', input_cache_read: '0.6', ...COMMON }],
    ['priority', 0, { prompt: '3', completion: '16', input_cache_read: '0.000001', ...COMMON }],
    ['flex', 0, { prompt: '3', completion: '15', input_cache_read: '0.3', ...COMMON }],
  ] as const)('in %s for %d tokens', (tier, tokens, expected) => {
    expect(viewPrices({ endpoint: endpointOf(PRICING), tier }, tokens)).toEqual(expected);
  });

  it('omits what the catalog does not price', () => {
    const endpoint = endpointOf({ prompt: 1n, completion: 0n, tiers: [] });
    expect(viewPrices({ endpoint, tier: 'standard' }, 0)).toEqual({ prompt: '0.000001', completion: '0' });
  });

  it('shows a free endpoint as free', () => {
    expect(viewPrices({ endpoint: endpointOf(null), tier: 'standard' }, 0)).toEqual({ prompt: '0', completion: '0' });
  });

  it('shows the prices that plans are made from', () => {
    const perMillion = (price: bigint): number => Number(price) / 1e6;
    for (const tier of SERVICE_TIERS) {
      for (const tokens of [0, 99, 100, 199, 200, 10_000]) {
        const view = viewPrices({ endpoint: endpointOf(PRICING), tier }, tokens);
        for (const kind of ['prompt', 'completion'] as const) {
          expect(Number(view[kind])).toBe(perMillion(tokenPrice(PRICING, kind, tier, tokens)));
        }
      }
    }
  });
});
