import type { ImageSize } from './image-size.js';

/** Vendors' published rules for the tokens of an image by its size. */
export const IMAGE_RULES = ['anthropic', 'openai-tiles', 'openai-patches', 'gemini'] as const;
export type ImageRule = (typeof IMAGE_RULES)[number];

/** An image whose size could be read, as it is sent. */
export interface SizedImage extends ImageSize {
  /** See `ImageBlock.detail`. */
  readonly detail?: string;
}

/**
 * Tokens that vendors and templates add around an image: begin and end marks, its number. The maximum includes them. An
 * arbitrary choice.
 */
const FRAME_TOKENS = 16;

type Rule = (image: SizedImage, max: number | undefined) => number;

const RULES: Readonly<Record<ImageRule, Rule>> = {
  anthropic: anthropicTokens,
  'openai-tiles': tileTokens,
  'openai-patches': patchTokens,
  gemini: geminiTokens,
};

/** The most that any model of the rule's vendor counts for one image, where the catalog has no maximum. */
const VENDOR_MAX: Readonly<Record<ImageRule, number | undefined>> = {
  anthropic: 4_784,
  // gpt-4o-mini: 2,833 and eight tiles of 5,667.
  'openai-tiles': 48_169,
  // 30,000 patches at the highest multiplier.
  'openai-patches': 73_800,
  gemini: undefined,
};

/**
 * The most tokens that an image counts.
 * @param image undefined: its size could not be read, or the vendor publishes no rule
 * @param max the model's maximum for one image; undefined: the vendor's
 * @returns undefined where nothing bounds it
 */
export function imageTokens(
  rule: ImageRule | undefined,
  image: SizedImage | undefined,
  max: number | undefined,
): number | undefined {
  if (!rule) return max;
  const most = max ?? VENDOR_MAX[rule];
  if (!image) return most;
  return Math.min(RULES[rule](image, max) + FRAME_TOKENS, most ?? Infinity);
}

/**
 * A token for each patch of 28 × 28 pixels. Larger images are made smaller until they fit the model's maximum, so that
 * is one for them. https://platform.claude.com/docs/en/build-with-claude/vision#evaluate-image-size
 */
function anthropicTokens({ width, height }: SizedImage): number {
  return Math.ceil(width / 28) * Math.ceil(height / 28);
}

/**
 * A base and at most eight tiles: the image is fitted into 2,048 × 2,048 pixels, then scaled until its shorter side has
 * 768 pixels, and counted in squares of 512. In every model family the base is half a tile, so the maximum is 17 halves
 * and determines both figures. `detail: low` is the base alone. By the written rule small images are scaled up; vendors
 * do not always do so, and the rule is the upper bound.
 * https://developers.openai.com/api/docs/guides/images-vision#tile-based-image-tokenization
 */
function tileTokens({ width, height, detail }: SizedImage, max: number = VENDOR_MAX['openai-tiles']!): number {
  const half = max / 17;
  if (detail === 'low') return Math.ceil(half);
  // The shorter side has at most two squares, the longer one four: long and thin images reach the first limit first.
  const longer = Math.min(2_048, (768 * Math.max(width, height)) / Math.min(width, height));
  const squares = 2 * Math.ceil(longer / 512);
  return Math.ceil(half * (1 + 2 * squares));
}

/** Patches within this budget count with the model's own multiplier, larger budgets with 1.2. */
const SMALL_BUDGET = 1_536;
const MULTIPLIER_MAX = 2.46;
const MULTIPLIER_OF_LARGE = 1.2;
/** `detail: low` scales any picture to 512 × 512. */
const LOW_PATCHES = 256;

/**
 * Patches of 32 × 32 pixels times the model's multiplier. Larger images are scaled down to the model's budget, or
 * refused. The maximum is budget times multiplier: 1,536 patches at 1.62, 1.72 or 2.46, 10,000 or 30,000 at 1.2.
 * https://developers.openai.com/api/docs/guides/images-vision#patch-based-image-tokenization
 */
function patchTokens({ width, height, detail }: SizedImage, max: number | undefined): number {
  const patches = Math.ceil(width / 32) * Math.ceil(height / 32);
  return Math.ceil((detail === 'low' ? Math.max(patches, LOW_PATCHES) : patches) * multiplierOf(max));
}

function multiplierOf(max: number | undefined): number {
  if (max === undefined) return MULTIPLIER_MAX;
  return max > Math.ceil(SMALL_BUDGET * MULTIPLIER_MAX) ? MULTIPLIER_OF_LARGE : max / SMALL_BUDGET;
}

/**
 * 258 tokens where both sides have at most 384 pixels, else for each tile; the side of a tile is two thirds of the
 * shorter side, 256 to 768 pixels. For Gemini 2; later models count by the requested resolution and not by size: for
 * them the catalog has only a maximum. https://ai.google.dev/gemini-api/docs/image-understanding#calculate-tokens
 */
function geminiTokens({ width, height }: SizedImage): number {
  if (width <= 384 && height <= 384) return 258;
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  return 258 * Math.ceil(width / side) * Math.ceil(height / side);
}
