import type { Usage, UsageIteration } from '../conversation/usage.js';

/**
 * A vendor's own tools run several turns in one reply, so its figures may add up to more than one context. What is
 * above so many is no count of anything, and nobody is charged for it.
 */
const CONTEXTS_PER_FIGURE_MAX = 4;
/** Most searches or fetches believed of one reply. Chosen: no vendor runs near as many. */
export const TOOL_REQUESTS_MAX = 1_000;

type Figure = { [Name in keyof Usage]-?: Usage[Name] extends number | undefined ? Name : never }[keyof Usage];

const FIGURES = {
  inputTokens: 'tokens',
  outputTokens: 'tokens',
  cacheReadTokens: 'tokens',
  cacheWriteTokens: 'tokens',
  cacheWrite1hTokens: 'tokens',
  reasoningTokens: 'tokens',
  imageTokens: 'tokens',
  webSearchRequests: 'requests',
  webFetchRequests: 'requests',
} as const satisfies Readonly<Record<Figure, 'tokens' | 'requests'>>;

const figures = Object.keys(FIGURES) as readonly Figure[];

/**
 * What can be believed of a usage (docs/reasons/money.md#malformed-usage). Figure by figure:
 * - no finite number, or below zero: it was not said;
 * - a fraction: up to the next whole one;
 * - more than four contexts of tokens, or 1,000 requests: cut to that;
 * - reasoning is part of the output: cut to it, and not said where there is none;
 * - so are pictures: cut to what is no reasoning.
 *
 * Never throws, whatever stands in the figures. Idempotent.
 * @param contextLength of the endpoint that answered
 * @returns the same object when all of it can be believed: any other one is a sign of malformed usage
 */
export function sanitizeUsage(usage: Usage, contextLength: number): Usage {
  const tokensMax = contextLength * CONTEXTS_PER_FIGURE_MAX;
  let sane = usage;
  for (const name of figures) {
    const reported = usage[name];
    if (reported === undefined) continue;
    const limit = FIGURES[name] === 'tokens' ? tokensMax : TOOL_REQUESTS_MAX;
    // As nearly all are.
    if (Number.isSafeInteger(reported) && reported >= 0 && reported <= limit) continue;
    sane = withFigure(sane, name, plausible(reported, limit));
  }
  if (sane.iterations) sane = withSaneIterations(sane, sane.iterations, contextLength);
  const { reasoningTokens, outputTokens } = sane;
  if (reasoningTokens !== undefined && reasoningTokens > (outputTokens ?? 0))
    sane = withFigure(sane, 'reasoningTokens', outputTokens);
  return sane.imageTokens === undefined ? sane : withSaneImages(sane, sane.imageTokens);
}

function withSaneImages(usage: Usage, imageTokens: number): Usage {
  const { outputTokens, reasoningTokens = 0 } = usage;
  if (outputTokens === undefined) return withFigure(usage, 'imageTokens', undefined);
  return withFigure(usage, 'imageTokens', Math.min(imageTokens, outputTokens - reasoningTokens));
}

/** Each call by itself, by the same rule. */
function withSaneIterations(usage: Usage, iterations: readonly UsageIteration[], contextLength: number): Usage {
  const sane = iterations
    .slice(0, TOOL_REQUESTS_MAX)
    .map((iteration) => sanitizeUsage(iteration, contextLength) as UsageIteration);
  if (sane.length === iterations.length && sane.every((one, index) => one === iterations[index])) return usage;
  return { ...usage, iterations: sane };
}

/** Figures kept by others may have become anything on the way: their type is a promise that is checked here. */
function plausible(reported: unknown, most: number): number | undefined {
  if (typeof reported !== 'number' || !Number.isFinite(reported) || reported < 0) return undefined;
  return Math.min(Math.ceil(reported), most);
}

function withFigure(usage: Usage, name: Figure, figure: number | undefined): Usage {
  if (usage[name] === figure) return usage;
  const { [name]: _said, ...others } = usage;
  return figure === undefined ? others : { ...others, [name]: figure };
}
