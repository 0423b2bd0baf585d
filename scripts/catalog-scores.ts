/**
 * How good models are, for the routers: what one source measured of all of them on one day
 * (docs/catalog.md#scores).
 */

/** The day of the figures, and the day they were read. */
export const SCORES_PUBLISHED = '2026-09-23';
export const SCORES_READ = '2026-11-25';

/** Figures of Artificial Analysis (https://artificialanalysis.ai), as a public repository keeps them at one commit. */
export const SCORES_TITLE =
  'Artificial Analysis, Intelligence Index and Coding Index: its API as copied by nathanramoscfa/roadmodel';
export const SCORES_URL =
  'https://github.com/nathanramoscfa/roadmodel/blob/35ccd4d985f5450c69637d788c53c7c0e13579d2/docs/benchmarks.json';

/** What the catalog says beside each value. */
export const SCORE_NAMES = {
  quality: `Artificial Analysis Intelligence Index, ${SCORES_PUBLISHED}`,
  coding: `Artificial Analysis Coding Index, ${SCORES_PUBLISHED}`,
} as const;

/** Both indexes go from 0 to this. */
const INDEX_MAX = 100;

/** A figure as the catalog has it: the same step for every model and both indexes, so that their order stays. */
export const scoreOf = (index: number): number => Number((index / INDEX_MAX).toFixed(3));

/**
 * A model of the catalog: its Intelligence Index, and its Coding Index where it has one. Each is of the highest effort
 * that was measured. One entry of the source is of a model that the catalog has not (Gemini 3 Pro Preview).
 */
export type ModelScores = readonly [id: string, intelligence: number, coding?: number];

// oxfmt-ignore
export const SCORES: readonly ModelScores[] = [
  ['anthropic/claude-fable-5', 49.6, 76.5],
  ['anthropic/claude-fable-5.1', 53.4, 81.6],
  ['anthropic/claude-haiku-4.5', 16.9, 43.9],
  ['anthropic/claude-opus-4.7', 40.7, 73.6],
  ['anthropic/claude-opus-4.8', 41.8, 74.3],
  ['anthropic/claude-opus-5', 50.8, 78],
  ['anthropic/claude-opus-5.5', 57.6],
  ['anthropic/claude-sonnet-4.6', 30.1, 63],
  ['anthropic/claude-sonnet-5', 38.2, 71.5],
  ['deepseek/deepseek-v4-pro-0813', 36, 68.8],
  ['deepseek/deepseek-v4.1-flash', 39.5],
  ['google/gemini-2.5-flash', 13.1],
  ['google/gemini-3-flash-preview', 26.3],
  ['google/gemini-3.1-pro-preview', 29.7, 68.8],
  ['google/gemini-3.5-flash', 32.6, 70.1],
  ['google/gemini-3.6-flash', 34, 69.2],
  ['google/gemini-3.7-flash', 39.1, 76.1],
  ['google/gemini-3.8-flash', 40.9, 76.3],
  ['meta-llama/muse-spark-1.3', 48.1, 75.8],
  ['mistralai/mistral-large-2512', 9.3, 20.1],
  ['mistralai/mistral-medium-3.5', 14.2, 46.9],
  ['mistralai/mistral-small-2603', 11.3, 26.6],
  ['moonshotai/kimi-k2.7-code', 25.8, 60.8],
  ['moonshotai/kimi-k3', 43.6, 76.2],
  ['openai/gpt-5', 23, 37.8],
  ['openai/gpt-5-mini', 16.8, 15.6],
  ['openai/gpt-5.1-codex', 23.7],
  ['openai/gpt-5.1-codex-mini', 20.4],
  ['openai/gpt-5.2', 30.4],
  ['openai/gpt-5.2-codex', 28.5],
  ['openai/gpt-5.3-codex', 32.5],
  ['openai/gpt-5.4', 39, 71.1],
  ['openai/gpt-5.4-mini', 24.1, 56.1],
  ['openai/gpt-5.4-nano', 20.7, 56.1],
  ['openai/gpt-5.5', 38.4, 74.9],
  ['openai/gpt-5.6-luna', 37.3, 71.4],
  ['openai/gpt-5.6-sol', 47, 77.4],
  ['openai/gpt-5.6-terra', 42.1, 76.7],
  ['openai/gpt-oss-120b', 11.6, 30.4],
  ['openai/gpt-oss-20b', 9, 20.7],
  ['x-ai/grok-4.3', 24.9, 42.2],
  ['x-ai/grok-4.6', 44.3, 76.8],
  ['x-ai/grok-4.7', 46.4],
  ['z-ai/glm-4.5-air', 11.1],
  ['z-ai/glm-4.6', 18.5, 45.8],
  ['z-ai/glm-5.2', 33.7, 68.8],
];
