// A table of malformed figures, and properties over any values: no figure of a provider leads to an impossible charge.
import fc from 'fast-check';
import type { Usage } from '../conversation/usage.js';
import { sanitizeUsage } from './sane-usage.js';

const CONTEXT = 1_000;

describe('sanitizeUsage', () => {
  it.each<[string, Usage, Usage]>([
    ['treats a negative figure as absent', { inputTokens: -1, outputTokens: 5 }, { outputTokens: 5 }],
    ['treats NaN as absent', { cacheReadTokens: NaN }, {}],
    ['treats an infinite figure as absent', { outputTokens: Infinity, inputTokens: -Infinity }, {}],
    ['treats a text as absent', { inputTokens: '12' as unknown as number }, {}],
    ['treats null as absent', { inputTokens: null as unknown as number }, {}],
    ['rounds a fraction up', { inputTokens: 10.01, cacheWriteTokens: 0.5 }, { inputTokens: 11, cacheWriteTokens: 1 }],
    ['keeps four contexts', { inputTokens: 4_000 }, { inputTokens: 4_000 }],
    [
      'cuts what is above four contexts',
      { inputTokens: 4_001, outputTokens: 1e300 },
      { inputTokens: 4_000, outputTokens: 4_000 },
    ],
    ['cuts a fraction above four contexts', { cacheWrite1hTokens: 4_000.5 }, { cacheWrite1hTokens: 4_000 }],
    [
      'cuts pictures to the output without reasoning',
      { outputTokens: 9, reasoningTokens: 4, imageTokens: 9 },
      { outputTokens: 9, reasoningTokens: 4, imageTokens: 5 },
    ],
    ['treats pictures without output as absent', { imageTokens: 9 }, {}],
    ['keeps 1,000 searches', { webSearchRequests: 1_000 }, { webSearchRequests: 1_000 }],
    [
      'cuts more searches',
      { webSearchRequests: 1_001, webFetchRequests: 9e15 },
      { webSearchRequests: 1_000, webFetchRequests: 1_000 },
    ],
    [
      'keeps reasoning that is all of the output',
      { outputTokens: 7, reasoningTokens: 7 },
      { outputTokens: 7, reasoningTokens: 7 },
    ],
    ['cuts reasoning to the output', { outputTokens: 7, reasoningTokens: 8 }, { outputTokens: 7, reasoningTokens: 7 }],
    ['treats reasoning without output as absent', { reasoningTokens: 8 }, {}],
    ['treats reasoning as absent when its output is not accepted', { outputTokens: -1, reasoningTokens: 8 }, {}],
  ])('%s', (_, reported, expected) => {
    expect(sanitizeUsage(reported, CONTEXT)).toEqual(expected);
  });

  it('keeps everything besides the figures', () => {
    const usage: Usage = {
      inputTokens: -1,
      serviceTier: 'priority',
      speed: 'fast',
      estimated: true,
      extras: { vendor: 'openai', value: { prompt_tokens: -1 } },
    };
    const { inputTokens: _, ...others } = usage;
    expect(sanitizeUsage(usage, CONTEXT)).toEqual(others);
    expect(usage.inputTokens).toBe(-1);
  });

  it.each<Usage>([{}, { reasoningTokens: 0 }, { inputTokens: 0, outputTokens: 4_000, reasoningTokens: 4_000 }])(
    'returns %j unchanged',
    (usage) => {
      expect(sanitizeUsage(usage, CONTEXT)).toBe(usage);
    },
  );

  const anything = fc.oneof(
    fc.integer({ min: -10, max: 5_000 }),
    fc.double(),
    fc.constantFrom(NaN, Infinity, -0, Number.MAX_VALUE, 2 ** 53, null, '3', undefined),
  ) as fc.Arbitrary<number>;
  const usages = fc.record(
    {
      inputTokens: anything,
      outputTokens: anything,
      cacheReadTokens: anything,
      cacheWriteTokens: anything,
      cacheWrite1hTokens: anything,
      reasoningTokens: anything,
      webSearchRequests: anything,
      webFetchRequests: anything,
    },
    { requiredKeys: [] },
  );

  it('leaves whole figures within their limits, and is idempotent', () => {
    fc.assert(
      fc.property(usages, (usage) => {
        const sane = sanitizeUsage(usage, CONTEXT);
        for (const figure of Object.values(sane)) {
          if (figure === undefined) continue;
          expect(Number.isInteger(figure)).toBe(true);
          expect(figure).toBeGreaterThanOrEqual(0);
          expect(figure).toBeLessThanOrEqual(4 * CONTEXT);
        }
        expect(sane.reasoningTokens ?? 0).toBeLessThanOrEqual(sane.outputTokens ?? 0);
        expect(sanitizeUsage(sane, CONTEXT)).toBe(sane);
      }),
    );
  });
});
