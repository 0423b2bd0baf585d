import type { Usage, UsageIteration } from '../conversation/usage.js';

/**
 * A vendor's own tools run several turns in one reply, so its figures may add up to more than one context. A figure
 * above so many contexts cannot be a count, and is not charged.
 */
const CONTEXTS_PER_FIGURE_MAX = 4;
/** Maximum number of searches or fetches accepted for one reply. Chosen: no vendor runs nearly as many. */
export const TOOL_REQUESTS_MAX = 1_000;

type Figure = Exclude<
  { [Name in keyof Usage]-?: Usage[Name] extends number | undefined ? Name : never }[keyof Usage],
  'prompts'
>;

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
  searchUnits: 'requests',
} as const satisfies Readonly<Record<Figure, 'tokens' | 'requests'>>;

const figures = Object.keys(FIGURES) as readonly Figure[];

/**
 * The credible part of a usage (docs/contribute/reasons/money.md#malformed-usage). Never throws, whatever the figures
 * contain. Idempotent.
 * - A figure that is not a finite number, or is negative, becomes absent.
 * - A fraction is rounded up.
 * - More than four contexts of tokens, or 1,000 requests, is cut to that.
 * - Reasoning is part of the output: it is cut to the output, and absent where there is none.
 * - So are images: they are cut to the output without reasoning.
 * @param contextLength the context of the endpoint that answered, for each of the usage's prompts
 * @returns the same object when all of it is credible: another object is a sign of malformed usage
 */
export function sanitizeUsage(usage: Usage, contextLength: number): Usage {
  const tokensMax = contextLength * CONTEXTS_PER_FIGURE_MAX * (usage.prompts ?? 1);
  let sane = usage;
  for (const name of figures) {
    const reported = usage[name];
    if (reported === undefined) continue;
    const limit = FIGURES[name] === 'tokens' ? tokensMax : TOOL_REQUESTS_MAX;
    // True of nearly all.
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

/** Each call by the same rule. */
function withSaneIterations(usage: Usage, iterations: readonly UsageIteration[], contextLength: number): Usage {
  const sane = iterations
    .slice(0, TOOL_REQUESTS_MAX)
    .map((iteration) => sanitizeUsage(iteration, contextLength) as UsageIteration);
  if (sane.length === iterations.length && sane.every((iteration, index) => iteration === iterations[index]))
    return usage;
  return { ...usage, iterations: sane };
}

/** Figures from outside may have any type at run time: it is checked here. */
function plausible(reported: unknown, most: number): number | undefined {
  if (typeof reported !== 'number' || !Number.isFinite(reported) || reported < 0) return undefined;
  return Math.min(Math.ceil(reported), most);
}

/** @param figure undefined: absent */
export function withFigure(usage: Usage, name: Figure, figure: number | undefined): Usage {
  if (usage[name] === figure) return usage;
  const { [name]: _reported, ...others } = usage;
  return figure === undefined ? others : { ...others, [name]: figure };
}
