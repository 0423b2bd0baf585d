import type { Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { Json } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { effortsOf } from '../../model-rules/efforts.js';
import { modelRulesOf } from '../../model-rules/model-rules.js';
import { requestedEffort, nearestEffort } from '../reasoning-effort.js';

/**
 * The reasoning fields of a chat body, in the provider's style; none where it has none
 * (docs/use/choosing-providers.md#unsupported-parameters).
 */
export function encodeReasoning(request: ModelRequest, target: Target): Record<string, Json> {
  const style = target.definition.quirks.reasoningStyle;
  if (style === undefined) return {};
  const efforts = effortsOf(target);
  switch (style) {
    case 'reasoning_effort': {
      if (request.tools.length > 0 && modelRulesOf(target).effortWithTools === 'none')
        return { reasoning_effort: 'none' };
      const effort = requestedEffort(request);
      return effort === undefined ? {} : { reasoning_effort: nearestEffort(effort, efforts) };
    }
    case 'reasoning_object': {
      const reasoning = reasoningObject(request, efforts);
      return reasoning === undefined ? {} : { reasoning };
    }
    case 'thinking_object': {
      const { thinking, effort } = request;
      if (thinking === undefined && effort === undefined) return {};
      if (thinking?.type === 'disabled' || effort === 'none') return { thinking: { type: 'disabled' } };
      const wanted = target.definition.quirks.efforts && requestedEffort(request);
      const amount = wanted && { reasoning_effort: nearestEffort(wanted, efforts) };
      return { thinking: { type: 'enabled' }, ...amount };
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
