// Tables of decimal prices and amounts, a second calculation in decimal texts, and properties over any usage: every
// token is charged once, at the price of its class, exactly.
import fc from 'fast-check';
import { endpoint } from '../../../test/support/route-inputs.js';
import type { StopReason } from '../conversation/event.js';
import type { Usage } from '../conversation/usage.js';
import type { Endpoint, Pricing } from '../routing/catalog.js';
import { SERVICE_TIERS, type ServiceTier } from '../routing/plan.js';
import { formatUsd, parseUsd } from './credits.js';
import { costOf, isCharged } from './pricing.js';

/** USD per million tokens. */
const perMillion = (usd: string): bigint => parseUsd(usd)! / 1_000_000n;

const pricing: Pricing = {
  prompt: perMillion('3'),
  completion: perMillion('15'),
  reasoning: perMillion('20'),
  imageOutput: perMillion('40'),
  inputCacheRead: perMillion('0.3'),
  inputCacheWrite: perMillion('3.75'),
  inputCacheWrite1h: perMillion('6'),
  request: parseUsd('0.001')!,
  image: parseUsd('0.004')!,
  webSearch: parseUsd('0.01')!,
  tiers: [
    {
      minPromptTokens: 200_000,
      prompt: perMillion('6'),
      completion: perMillion('22.5'),
      inputCacheRead: perMillion('0.6'),
    },
  ],
  fast: { prompt: perMillion('30'), completion: perMillion('150') },
};
const one = (parts: Partial<Endpoint> = {}): Endpoint => endpoint('p', { pricing, contextLength: 1_000_000, ...parts });
const bare: Pricing = { prompt: perMillion('3'), completion: perMillion('15'), tiers: [] };

const usd = (usage: Usage, tier: ServiceTier = 'standard', images = 0): Record<string, string> => {
  const { prompt, completion, tools, total } = costOf(usage, { endpoint: one(), tier }, images);
  return {
    prompt: formatUsd(prompt),
    completion: formatUsd(completion),
    tools: formatUsd(tools),
    total: formatUsd(total),
  };
};

describe('costOf', () => {
  it.each<[string, Usage, ServiceTier, number, readonly [string, string, string, string]]>([
    ['the request alone', {}, 'standard', 0, ['0.001', '0', '0', '0.001']],
    ['tokens that were not cached', { inputTokens: 1_000 }, 'standard', 0, ['0.004', '0', '0', '0.004']],
    ['cache reads', { cacheReadTokens: 10_000 }, 'standard', 0, ['0.004', '0', '0', '0.004']],
    [
      'cache writes of both kinds',
      { cacheWriteTokens: 10_000, cacheWrite1hTokens: 10_000 },
      'standard',
      0,
      ['0.0985', '0', '0', '0.0985'],
    ],
    [
      'pictures in an answer',
      { outputTokens: 1_100, reasoningTokens: 10, imageTokens: 1_000 },
      'standard',
      0,
      ['0.001', '0.04155', '0', '0.04255'],
    ],
    ['an answer', { outputTokens: 100 }, 'standard', 0, ['0.001', '0.0015', '0', '0.0025']],
    [
      'an answer, part of it reasoning',
      { outputTokens: 100, reasoningTokens: 40 },
      'standard',
      0,
      ['0.001', '0.0017', '0', '0.0027'],
    ],
    ['images', {}, 'standard', 3, ['0.013', '0', '0', '0.013']],
    ['searches', { webSearchRequests: 2, webFetchRequests: 9 }, 'standard', 0, ['0.001', '0', '0.02', '0.021']],
    [
      'the smallest amounts',
      { inputTokens: 1, cacheReadTokens: 1 },
      'standard',
      0,
      ['0.0010033', '0', '0', '0.0010033'],
    ],
    ['one below the length', { inputTokens: 199_999 }, 'standard', 0, ['0.600997', '0', '0', '0.600997']],
    ['at the length', { inputTokens: 200_000 }, 'standard', 0, ['1.201', '0', '0', '1.201']],
    ['one above the length', { inputTokens: 200_001 }, 'standard', 0, ['1.201006', '0', '0', '1.201006']],
    [
      'the length including reads and writes',
      { inputTokens: 1, cacheReadTokens: 199_997, cacheWriteTokens: 1, cacheWrite1hTokens: 1, outputTokens: 2 },
      'standard',
      0,
      ['0.12101395', '0.000045', '0', '0.12105895'],
    ],
    [
      'the length without the output',
      { inputTokens: 199_999, outputTokens: 10 },
      'standard',
      0,
      ['0.600997', '0.00015', '0', '0.601147'],
    ],
    [
      "a tier's own list whatever the length, the rest by length",
      { inputTokens: 200_000, cacheReadTokens: 10, outputTokens: 10, reasoningTokens: 1 },
      'fast',
      0,
      ['6.001006', '0.00137', '0', '6.002376'],
    ],
    ['a tier without a list at the standard price', { inputTokens: 1_000 }, 'flex', 0, ['0.004', '0', '0', '0.004']],
  ])('charges %s', (_, usage, tier, images, [prompt, completion, tools, total]) => {
    expect(usd(usage, tier, images)).toEqual({ prompt, completion, tools, total });
  });

  it('charges classes without a price of their own as prompt or completion', () => {
    const usage = {
      inputTokens: 1,
      cacheReadTokens: 10,
      cacheWriteTokens: 100,
      cacheWrite1hTokens: 1_000,
      outputTokens: 10,
      reasoningTokens: 9,
      webSearchRequests: 5,
    };
    const cost = costOf(usage, { endpoint: one({ pricing: bare }), tier: 'standard' }, 7);
    expect(cost).toEqual({
      prompt: 1_111n * bare.prompt,
      completion: 10n * bare.completion,
      tools: 0n,
      total: 1_111n * bare.prompt + 10n * bare.completion,
    });
  });

  it('charges nothing where the endpoint is free', () => {
    const free = { endpoint: one({ pricing: null }), tier: 'standard' } as const;
    const usage = { inputTokens: 1_000, outputTokens: 1_000, webSearchRequests: 3 };
    expect(costOf(usage, free, 3)).toEqual({ prompt: 0n, completion: 0n, tools: 0n, total: 0n });
  });

  it('charges malformed figures as they are accepted', () => {
    const leg = { endpoint: one({ pricing: bare, contextLength: 100 }), tier: 'standard' } as const;
    expect(costOf({ inputTokens: -5, outputTokens: NaN }, leg).total).toBe(0n);
    expect(costOf({ inputTokens: 1.5 }, leg).total).toBe(2n * bare.prompt);
    expect(costOf({ outputTokens: 1e15 }, leg).total).toBe(400n * bare.completion);
    expect(costOf({ outputTokens: 5, reasoningTokens: 50 }, leg).total).toBe(5n * bare.completion);
    expect(costOf({ outputTokens: 5, imageTokens: 50 }, leg).total).toBe(5n * bare.completion);
  });

  const count = fc.integer({ min: 0, max: 100_000 });
  const usages = fc.record({
    inputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    cacheWrite1hTokens: count,
    outputTokens: count,
    webSearchRequests: fc.integer({ min: 0, max: 100 }),
  });
  /** Up to six decimals, as the catalog allows. */
  const price = fc.integer({ min: 0, max: 10 ** 9 }).map((millionths) => formatUsd(BigInt(millionths) * 1_000_000n));
  const prices = fc.record({ prompt: price, completion: price, read: price, write: price, hour: price, search: price });

  it('agrees with a calculation in decimals', () => {
    // USD per million tokens, times tokens: the point moves six digits, and no digit is lost.
    const decimal = (tokens: number, perMillionTokens: string): bigint => {
      const [whole, decimals = ''] = perMillionTokens.split('.');
      const digits = BigInt(whole! + decimals.padEnd(6, '0')) * BigInt(tokens);
      const text = digits.toString().padStart(13, '0');
      return parseUsd(`${text.slice(0, -12)}.${text.slice(-12)}`)!;
    };
    fc.assert(
      fc.property(usages, prices, (usage, list) => {
        const ofList: Pricing = {
          prompt: perMillion(list.prompt),
          completion: perMillion(list.completion),
          inputCacheRead: perMillion(list.read),
          inputCacheWrite: perMillion(list.write),
          inputCacheWrite1h: perMillion(list.hour),
          webSearch: perMillion(list.search),
          tiers: [],
        };
        const cost = costOf(usage, { endpoint: one({ pricing: ofList }), tier: 'standard' });
        expect(cost.prompt).toBe(
          decimal(usage.inputTokens, list.prompt) +
            decimal(usage.cacheReadTokens, list.read) +
            decimal(usage.cacheWriteTokens, list.write) +
            decimal(usage.cacheWrite1hTokens, list.hour),
        );
        expect(cost.completion).toBe(decimal(usage.outputTokens, list.completion));
        expect(cost.tools).toBe(decimal(usage.webSearchRequests, list.search));
      }),
    );
  });

  it('costs two usages of one length list as much together as apart, but for one request', () => {
    const leg = {
      endpoint: one({ contextLength: 10_000_000, pricing: { ...pricing, tiers: [] } }),
      tier: 'fast',
    } as const;
    fc.assert(
      fc.property(usages, usages, (a, b) => {
        const keys = Object.keys(a) as (keyof typeof a)[];
        const both = Object.fromEntries(keys.map((key) => [key, a[key] + b[key]]));
        expect(costOf(both, leg).total + pricing.request!).toBe(costOf(a, leg).total + costOf(b, leg).total);
      }),
    );
  });

  it('is the sum of its parts and never negative, whatever the figures', () => {
    const figure = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(NaN, -0, Infinity));
    const malformed = fc.record(
      {
        inputTokens: figure,
        outputTokens: figure,
        reasoningTokens: figure,
        cacheWriteTokens: figure,
        webSearchRequests: figure,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(malformed, fc.constantFrom(...SERVICE_TIERS), (usage, tier) => {
        const { prompt, completion, tools, total } = costOf(usage, { endpoint: one(), tier });
        expect(total).toBe(prompt + completion + tools);
        for (const part of [prompt, completion, tools]) expect(part >= 0n).toBe(true);
      }),
    );
  });
});

describe('isCharged', () => {
  const stop = (raw: string | null, unified: StopReason['unified'] = 'other'): StopReason => ({
    unified,
    raw,
    vendor: 'openai',
  });

  it.each<[string, StopReason | undefined, Usage, boolean]>([
    ['an answer', stop('stop', 'end-turn'), { outputTokens: 5 }, true],
    ['no token, but a reason', stop('stop', 'end-turn'), { outputTokens: 0 }, true],
    ['no figure, but a reason', stop('refusal', 'refusal'), {}, true],
    ['tokens without a reason', stop(null), { outputTokens: 1 }, true],
    ['tokens of a reply that was cut', undefined, { outputTokens: 1 }, true],
    ['no token and no reason', stop(null), { outputTokens: 0 }, false],
    ['no token and an empty reason', stop(''), { outputTokens: 0 }, false],
    ['no figure and no end', undefined, { inputTokens: 1_000 }, false],
    ['no number and no end', undefined, { outputTokens: NaN }, false],
    ['a negative figure and no end', undefined, { outputTokens: -1 }, false],
    ['an error', stop('error'), { outputTokens: 5 }, false],
  ])('%s', (_, reason, usage, expected) => {
    expect(isCharged(reason, usage)).toBe(expected);
  });
});
