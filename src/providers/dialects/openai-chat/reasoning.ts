import { EFFORTS, type Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { carriesParameter } from './parameters.js';

/** What every provider with an effort field takes. */
const COMMON_EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];

/** From this many thinking tokens on, the effort of the row. */
const EFFORT_OF_BUDGET: readonly { readonly tokens: number; readonly effort: Effort }[] = [
  { tokens: 16_384, effort: 'high' },
  { tokens: 4_096, effort: 'medium' },
  { tokens: 0, effort: 'low' },
];

/**
 * The reasoning fields of a chat body, in the style the provider knows; none where it knows none
 * (docs/wire/routing.md#unsupported-parameters).
 */
export function encodeReasoning(request: ModelRequest, target: Target): Record<string, Json> {
  const style = target.definition.quirks.reasoningStyle;
  if (style === undefined || !carriesParameter('reasoning', target)) return {};
  const efforts = target.definition.quirks.efforts ?? COMMON_EFFORTS;
  switch (style) {
    case 'reasoning_effort': {
      const effort = effortOf(request);
      return effort === undefined ? {} : { reasoning_effort: nearest(effort, efforts) };
    }
    case 'reasoning_object': {
      const reasoning = reasoningObject(request, efforts);
      return reasoning === undefined ? {} : { reasoning };
    }
    case 'thinking_object': {
      if (request.effort === 'none') return { thinking: { type: 'disabled' } };
      if (request.thinking === undefined) return {};
      return { thinking: { type: request.thinking.type === 'disabled' ? 'disabled' : 'enabled' } };
    }
  }
}

/**
 * The effort that was asked for, or that the thinking budget stands for; none when thinking is
 * off or left to the model.
 */
function effortOf(request: ModelRequest): Effort | undefined {
  const { thinking, effort } = request;
  // The format has no word for "off" that all models take; a model told nothing uses its default.
  if (thinking?.type === 'disabled') return undefined;
  if (effort !== undefined) return effort;
  return thinking?.type === 'enabled' ? effortOfBudget(thinking.budgetTokens) : undefined;
}

function reasoningObject(request: ModelRequest, efforts: readonly Effort[]): Json | undefined {
  const { thinking, effort, reasoningSummary: summary } = request;
  if (thinking?.type === 'disabled') return { enabled: false };
  const summaryField = summary === undefined ? undefined : { summary };
  if (effort !== undefined) return { effort: nearest(effort, efforts), ...summaryField };
  if (thinking?.type === 'enabled') return { max_tokens: thinking.budgetTokens, ...summaryField };
  return thinking?.type === 'adaptive' ? { enabled: true, ...summaryField } : summaryField;
}

function effortOfBudget(tokens: number): Effort {
  return EFFORT_OF_BUDGET.find((row) => tokens >= row.tokens)?.effort ?? 'low';
}

/** The effort itself where the provider knows it, else the next lower one it knows, else its lowest. */
function nearest(effort: Effort, known: readonly Effort[]): Effort {
  const rank = EFFORTS.indexOf(effort);
  const ranked = EFFORTS.filter((candidate) => known.includes(candidate));
  return ranked.findLast((candidate) => EFFORTS.indexOf(candidate) <= rank) ?? ranked[0] ?? effort;
}
