import type { ModelRequest } from '../../../core/conversation/request.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { requestedEffort, BUDGET_OF_EFFORT, nearestEffort } from '../reasoning-effort.js';
import { budgetsOf, generationOf, levelsOf } from './generation.js';

/** The model decides by itself how much it thinks. */
const DYNAMIC_BUDGET = -1;

/** `generationConfig.thinkingConfig`; undefined where nothing was requested. */
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

/** Not every model can switch thinking off; those get the least that they accept. */
function leastThinking(target: Target): JsonObject {
  if (generationOf(target).thinking === 'budget') return { thinkingBudget: budgetsOf(target).off };
  return { thinkingLevel: nearestEffort('minimal', levelsOf(target)) };
}

function thinkingOf(request: ModelRequest, target: Target): JsonObject {
  const requested = requestedEffort(request);
  if (generationOf(target).thinking === 'level') {
    return requested === undefined ? {} : { thinkingLevel: nearestEffort(requested, levelsOf(target)) };
  }
  const { thinking, effort } = request;
  const { min, max } = budgetsOf(target);
  const ofEffort = effort === undefined || effort === 'none' ? DYNAMIC_BUDGET : BUDGET_OF_EFFORT[effort];
  const tokens = thinking?.type === 'enabled' ? thinking.budgetTokens : ofEffort;
  return { thinkingBudget: tokens === DYNAMIC_BUDGET ? tokens : Math.min(Math.max(tokens, min), max) };
}
