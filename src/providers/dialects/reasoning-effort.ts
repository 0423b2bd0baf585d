import { EFFORTS, type Effort } from '../../core/conversation/effort.js';
import type { ModelRequest } from '../../core/conversation/request.js';

/** From this many thinking tokens on, the effort of the row. */
const EFFORT_OF_BUDGET: readonly { readonly tokens: number; readonly effort: Effort }[] = [
  { tokens: 16_384, effort: 'high' },
  { tokens: 4_096, effort: 'medium' },
  { tokens: 0, effort: 'low' },
];

/**
 * The effort that was asked for, or that the thinking budget stands for; none when thinking is off or left to the
 * model.
 */
export function askedEffort({ thinking, effort }: Pick<ModelRequest, 'thinking' | 'effort'>): Effort | undefined {
  if (thinking?.type === 'disabled') return undefined;
  if (effort !== undefined) return effort;
  return thinking?.type === 'enabled' ? effortOfBudget(thinking.budgetTokens) : undefined;
}

/** The effort itself where it is known, else the next lower one that is, else the lowest. */
export function nearestEffort(effort: Effort, known: readonly Effort[]): Effort {
  const rank = EFFORTS.indexOf(effort);
  const ranked = EFFORTS.filter((candidate) => known.includes(candidate));
  return ranked.findLast((candidate) => EFFORTS.indexOf(candidate) <= rank) ?? ranked[0] ?? effort;
}

function effortOfBudget(tokens: number): Effort {
  return EFFORT_OF_BUDGET.find((row) => tokens >= row.tokens)?.effort ?? 'low';
}
