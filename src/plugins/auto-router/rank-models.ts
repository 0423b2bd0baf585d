import type { Difficulty } from './prompt-class.js';

/** The figures by which a model is ranked for one prompt. */
export interface RankFigures {
  /** Probability of a good answer, 0 to 1: `expectedQuality` less the recent fault share of the endpoints. */
  readonly quality: number;
  /** Expected cost of the answer, USD. */
  readonly usd: number;
}

/**
 * Difference between the difficulty of a prompt and that of the index's tasks, in logits. As in a Rasch model, the odds
 * of a good answer are those of the index times e to this, for every model (docs/contribute/decisions/0068-routers.md).
 */
const EASE: Readonly<Record<Difficulty, number>> = { hard: 0, medium: 2, easy: 4 };
const ODDS_FACTOR: Readonly<Record<Difficulty, number>> = {
  hard: Math.exp(EASE.hard),
  medium: Math.exp(EASE.medium),
  easy: Math.exp(EASE.easy),
};

/** Bounds of a score: at 0 or 1 the odds would be certain. */
const SCORE_MIN = 0.01;
const SCORE_MAX = 0.99;

/** Probability that a model with this score answers a prompt of this difficulty well. Rises with the score. */
export function expectedQuality(score: number, difficulty: Difficulty): number {
  const bounded = Math.min(SCORE_MAX, Math.max(SCORE_MIN, score));
  const odds = (bounded / (1 - bounded)) * ODDS_FACTOR[difficulty];
  return odds / (1 + odds);
}

/** Maximum of `cost_quality_tradeoff`: at 0 only quality counts, at this value only the price. */
export const TRADEOFF_MAX = 10;
/** Quality that a tenfold lower price makes up for where both weigh the same. */
const QUALITY_PER_DECADE = 0.025;
/** Lower bound of a price in comparisons, USD: free is no better than nearly free. */
const USD_MIN = 1e-7;

/** The value by which models are compared; more is better. */
export function worthOf(quality: number, usd: number, tradeoff: number): number {
  const thrift = -QUALITY_PER_DECADE * Math.log10(Math.max(usd, USD_MIN));
  return ((TRADEOFF_MAX - tradeoff) * quality + tradeoff * thrift) / TRADEOFF_MAX;
}

const QUALITY_STEPS = 10_000;
const USD_STEPS = 1e9;

/** Rounds as the kept figures are rounded, so that a later comparison uses the same numbers. */
export const roundedQuality = (quality: number): number => Math.round(quality * QUALITY_STEPS) / QUALITY_STEPS;
export const roundedUsd = (usd: number): number => Math.round(usd * USD_STEPS) / USD_STEPS;
