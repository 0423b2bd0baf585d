import type { Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { askedEffort, nearestEffort } from '../reasoning-effort.js';

/** What every provider with an effort field takes. */
const COMMON_EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];

/**
 * The reasoning fields of a chat body, in the style the provider knows; none where it knows none
 * (docs/wire/routing.md#unsupported-parameters).
 */
export function encodeReasoning(request: ModelRequest, target: Target): Record<string, Json> {
  const style = target.definition.quirks.reasoningStyle;
  if (style === undefined) return {};
  const efforts = target.definition.quirks.efforts ?? COMMON_EFFORTS;
  switch (style) {
    case 'reasoning_effort': {
      // The format has no word for "off" that all models take; a model told nothing uses its default.
      const effort = askedEffort(request);
      return effort === undefined ? {} : { reasoning_effort: nearestEffort(effort, efforts) };
    }
    case 'reasoning_object': {
      const reasoning = reasoningObject(request, efforts);
      return reasoning === undefined ? {} : { reasoning };
    }
    case 'thinking_object': {
      const { thinking, effort } = request;
      if (thinking === undefined && effort === undefined) return {};
      return { thinking: { type: thinking?.type === 'disabled' || effort === 'none' ? 'disabled' : 'enabled' } };
    }
  }
}

function reasoningObject(request: ModelRequest, efforts: readonly Effort[]): Json | undefined {
  const { thinking, effort, reasoningSummary: summary } = request;
  if (thinking?.type === 'disabled') return { enabled: false };
  const summaryField = summary === undefined ? undefined : { summary };
  if (effort !== undefined) return { effort: nearestEffort(effort, efforts), ...summaryField };
  if (thinking?.type === 'enabled') return { max_tokens: thinking.budgetTokens, ...summaryField };
  return thinking?.type === 'adaptive' ? { enabled: true, ...summaryField } : summaryField;
}
