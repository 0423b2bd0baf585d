import type { Difficulty } from './prompt-class.js';

/** What a model is ranked by for one prompt. */
export interface RankFigures {
  /** How likely a good answer is, 0 to 1: `expectedQuality`, less what its endpoints fail of late. */
  readonly quality: number;
  /** What the answer is expected to cost, USD. */
  readonly usd: number;
}

/**
 * How much easier than the tasks of the index a prompt is, in logits. As in a Rasch model: the odds of a good answer
 * are those of the index times e to this, whatever the model (docs/decisions/0068-routers.md).
 */
const EASE: Readonly<Record<Difficulty, number>> = { hard: 0, medium: 2, easy: 4 };
const ODDS_FACTOR: Readonly<Record<Difficulty, number>> = {
  hard: Math.exp(EASE.hard),
  medium: Math.exp(EASE.medium),
  easy: Math.exp(EASE.easy),
};

/** Scores at the very ends would be certain of every answer, or of none. */
const SCORE_MIN = 0.01;
const SCORE_MAX = 0.99;

/** How likely a model with this score answers a prompt of this difficulty well. Rises with the score. */
export function expectedQuality(score: number, difficulty: Difficulty): number {
  const bounded = Math.min(SCORE_MAX, Math.max(SCORE_MIN, score));
  const odds = (bounded / (1 - bounded)) * ODDS_FACTOR[difficulty];
  return odds / (1 + odds);
}

/** Of `cost_quality_tradeoff`: at 0 quality alone counts, here the price alone. */
export const TRADEOFF_MAX = 10;
/** Where both count alike, a tenth of the price makes up for so much of quality. */
const QUALITY_PER_DECADE = 0.025;
/** What is cheaper counts as this much, USD: free is no better than nearly so. */
const USD_MIN = 1e-7;

/** By what models are compared, more is better. */
export function worthOf(quality: number, usd: number, tradeoff: number): number {
  const thrift = -QUALITY_PER_DECADE * Math.log10(Math.max(usd, USD_MIN));
  return ((TRADEOFF_MAX - tradeoff) * quality + tradeoff * thrift) / TRADEOFF_MAX;
}

const QUALITY_STEPS = 10_000;
const USD_STEPS = 1e9;

/** As figures are kept: whoever compares them later compares the same numbers. */
export const roundedQuality = (quality: number): number => Math.round(quality * QUALITY_STEPS) / QUALITY_STEPS;
export const roundedUsd = (usd: number): number => Math.round(usd * USD_STEPS) / USD_STEPS;
