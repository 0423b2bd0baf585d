import type { Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { askedEffort, nearestEffort } from '../reasoning-effort.js';
import { budgetsOf, generationOf, levelsOf } from './generation.js';

/** The model decides by itself how much it thinks. */
const DYNAMIC_BUDGET = -1;

/** Thinking tokens of an effort; the figures of Google's own chat endpoint (ai.google.dev/gemini-api/docs/openai). */
const BUDGET_OF_EFFORT: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: Infinity,
};

/** `generationConfig.thinkingConfig`; undefined where nothing was asked for. */
export function encodeThinking(request: ModelRequest, target: Target): JsonObject | undefined {
  const { thinking, effort } = request;
  if (thinking === undefined && effort === undefined) return undefined;
  const isOff = thinking?.type === 'disabled' || effort === 'none';
  const amount = isOff ? leastThinking(target) : thinkingOf(request, target);
  const isShown = !isOff && displayOf(thinking) !== 'omitted';
  return isShown ? { ...amount, includeThoughts: true } : amount;
}

const displayOf = (thinking: ModelRequest['thinking']): string | undefined =>
  thinking === undefined || thinking.type === 'disabled' ? undefined : thinking.display;

/** Not every model can be told to think nothing: those that cannot think as little as they do. */
function leastThinking(target: Target): JsonObject {
  if (generationOf(target).thinking === 'budget') return { thinkingBudget: budgetsOf(target).off };
  return { thinkingLevel: nearestEffort('minimal', levelsOf(target)) };
}

function thinkingOf(request: ModelRequest, target: Target): JsonObject {
  const asked = askedEffort(request);
  if (generationOf(target).thinking === 'level') {
    return asked === undefined ? {} : { thinkingLevel: nearestEffort(asked, levelsOf(target)) };
  }
  const { thinking, effort } = request;
  const { min, max } = budgetsOf(target);
  const tokens =
    effort === undefined || effort === 'none'
      ? thinking?.type === 'enabled'
        ? thinking.budgetTokens
        : DYNAMIC_BUDGET
      : BUDGET_OF_EFFORT[effort];
  return { thinkingBudget: tokens === DYNAMIC_BUDGET ? tokens : Math.min(Math.max(tokens, min), max) };
}
