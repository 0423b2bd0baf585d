import { EFFORTS, type Effort } from '../../core/conversation/effort.js';
import type { ModelRequest } from '../../core/conversation/request.js';

/** Each row: the least number of thinking tokens for an effort. */
const EFFORT_OF_BUDGET: readonly { readonly tokens: number; readonly effort: Effort }[] = [
  { tokens: 16_384, effort: 'high' },
  { tokens: 4_096, effort: 'medium' },
  { tokens: 0, effort: 'low' },
];

/** Chosen: the effort for a request to think without an amount, where an amount is required. */
export const EFFORT_DEFAULT = 'medium';

/** Thinking tokens of an effort; the figures of Google's own chat endpoint (ai.google.dev/gemini-api/docs/openai). */
export const BUDGET_OF_EFFORT: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: Infinity,
};

/**
 * The requested effort, or the effort that corresponds to the thinking budget; none when thinking is off or left to the
 * model.
 */
export function requestedEffort({ thinking, effort }: Pick<ModelRequest, 'thinking' | 'effort'>): Effort | undefined {
  if (thinking?.type === 'disabled') return undefined;
  if (effort !== undefined) return effort;
  return thinking?.type === 'enabled' ? effortOfBudget(thinking.budgetTokens) : undefined;
}

/** The effort itself where the target has it, else the next lower one, else the lowest. */
export function nearestEffort(effort: Effort, known: readonly Effort[]): Effort {
  const rank = EFFORTS.indexOf(effort);
  const ranked = EFFORTS.filter((candidate) => known.includes(candidate));
  return ranked.findLast((candidate) => EFFORTS.indexOf(candidate) <= rank) ?? ranked[0] ?? effort;
}

function effortOfBudget(tokens: number): Effort {
  return EFFORT_OF_BUDGET.find((row) => tokens >= row.tokens)?.effort ?? 'low';
}
