// The examples that vendors publish, and each vendor's own arithmetic, scaling and rounding included, beside the rule
// for random sizes: no image counts more at its vendor than by the rule, and small ones count little.
import fc from 'fast-check';
import { imageTokens, IMAGE_RULES, type ImageRule } from './image-tokens.js';

/** Tokens that are added around an image. */
const FRAME = 16;
const tokensOf = (rule: ImageRule, width: number, height: number, max?: number, detail?: string): number | undefined =>
  imageTokens(rule, { width, height, ...(detail !== undefined && { detail }) }, max);

it.each<[ImageRule, number, number, number, number]>([
  ['anthropic', 200, 200, 1_600, 64],
  ['anthropic', 1_000, 1_000, 1_600, 1_296],
  ['anthropic', 1_092, 1_092, 1_600, 1_521],
  ['anthropic', 1_920, 1_080, 4_784, 2_691],
  ['openai-tiles', 1_024, 1_024, 1_445, 765],
  ['openai-tiles', 2_048, 4_096, 1_445, 1_105],
  ['openai-tiles', 1_024, 1_024, 48_169, 2_833 + 4 * 5_667],
  ['openai-patches', 1_024, 1_024, 2_489, Math.ceil(1_024 * 1.62)],
  ['openai-patches', 1_024, 1_024, 12_000, Math.ceil(1_024 * 1.2)],
  ['openai-patches', 1_024, 1_024, 36_000, Math.ceil(1_024 * 1.2)],
  ['gemini', 384, 384, 2_580, 258],
  ['gemini', 960, 540, 2_580, 6 * 258],
])('%s counts %d × %d, at most %d, as published: %d', (rule, width, height, max, published) => {
  const tokens = tokensOf(rule, width, height, max)!;
  expect(tokens).toBeGreaterThanOrEqual(published);
  // One more where the maximum has rounded a multiplier up.
  expect(tokens).toBeLessThanOrEqual(published + FRAME + 1);
});

it('counts an image of low detail as the base of tiles, and as a square of 512 in patches', () => {
  expect(tokensOf('openai-tiles', 4_000, 4_000, 1_445, 'low')).toBe(85 + FRAME);
  expect(tokensOf('openai-patches', 1, 1, 2_489, 'low')).toBe(Math.ceil((256 * 2_489) / 1_536) + FRAME);
  expect(tokensOf('anthropic', 28, 28, 1_600, 'low')).toBe(1 + FRAME);
});

it.each(IMAGE_RULES)('counts an image of unknown size as the maximum of %s', (rule) => {
  expect(imageTokens(rule, undefined, 500)).toBe(500);
  const most = imageTokens(rule, undefined, undefined);
  expect(most).toBe({ anthropic: 4_784, 'openai-tiles': 48_169, 'openai-patches': 73_800, gemini: undefined }[rule]);
});

it('counts each as the maximum where there is no rule, and has no bound without either', () => {
  expect(imageTokens(undefined, { width: 1, height: 1 }, 500)).toBe(500);
  expect(imageTokens(undefined, { width: 1, height: 1 }, undefined)).toBeUndefined();
});

describe("the vendors' own arithmetic", () => {
  const side = fc.oneof(fc.integer({ min: 1, max: 4_000 }), fc.integer({ min: 1, max: 65_535 }));
  type Count = (width: number, height: number) => number;
  const cover = (width: number, height: number, piece: number): number =>
    Math.ceil(width / piece) * Math.ceil(height / piece);
  const scaled = (value: number, factor: number): number => Math.max(1, Math.round(value * factor));

  /** Scaled down by steps until it fits both limits, and padded. */
  const claude =
    (edge: number, most: number): Count =>
    (width, height) => {
      let factor = Math.min(1, edge / Math.max(width, height));
      while (cover(scaled(width, factor), scaled(height, factor), 28) > most) factor *= 0.999;
      return cover(scaled(width, factor), scaled(height, factor), 28);
    };
  /** As published; `upscales`: by the written rule, else as observed. */
  const tiles =
    (base: number, tile: number, upscales: boolean): Count =>
    (width, height) => {
      const fit = Math.min(1, 2_048 / Math.max(width, height));
      const shorter = Math.min(width, height) * fit;
      const factor = fit * (upscales ? 768 / shorter : Math.min(1, 768 / shorter));
      const count = cover(scaled(width, factor), scaled(height, factor), 512);
      return base + tile * Math.min(8, count);
    };
  const patches =
    (budget: number, multiplier: number): Count =>
    (width, height) => {
      if (cover(width, height, 32) <= budget) return Math.ceil(cover(width, height, 32) * multiplier);
      const shrink = Math.sqrt((32 * 32 * budget) / (width * height));
      const fit = (value: number): number => Math.floor((value * shrink) / 32) / ((value * shrink) / 32);
      const factor = shrink * Math.min(fit(width), fit(height));
      const count = cover(scaled(width, factor), scaled(height, factor), 32);
      return Math.ceil(Math.min(budget, count) * multiplier);
    };

  it.each<[string, ImageRule, number, Count]>([
    ['Claude before 4.7', 'anthropic', 1_600, claude(1_568, 1_568)],
    ['Claude from 4.7 on', 'anthropic', 4_784, claude(2_576, 4_784)],
    ['gpt-4o', 'openai-tiles', 1_445, tiles(85, 170, true)],
    ['gpt-4o, small ones without upscaling', 'openai-tiles', 1_445, tiles(85, 170, false)],
    ['gpt-4o-mini', 'openai-tiles', 48_169, tiles(2_833, 5_667, true)],
    ['gpt-5', 'openai-tiles', 1_190, tiles(70, 140, true)],
    ['o3', 'openai-tiles', 1_275, tiles(75, 150, true)],
    ['gpt-4.1-mini', 'openai-patches', 2_489, patches(1_536, 1.62)],
    ['gpt-4.1-nano', 'openai-patches', 3_779, patches(1_536, 2.46)],
    ['o4-mini', 'openai-patches', 2_642, patches(1_536, 1.72)],
    ['gpt-5.4', 'openai-patches', 12_000, patches(10_000, 1.2)],
    ['gpt-5.4 at high detail', 'openai-patches', 12_000, patches(2_500, 1.2)],
    ['gpt-6', 'openai-patches', 36_000, patches(30_000, 1.2)],
  ])('never counts more than the rule: %s', (_, rule, max, count) => {
    fc.assert(
      fc.property(side, side, (width, height) => {
        const tokens = tokensOf(rule, width, height, max)!;
        expect(tokens).toBeGreaterThanOrEqual(count(width, height));
        expect(tokens).toBeLessThanOrEqual(max);
      }),
      { numRuns: 300 },
    );
  });
});
