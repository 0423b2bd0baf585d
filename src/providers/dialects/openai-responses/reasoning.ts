import type { Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { definedOnly } from '../../../core/defined.js';
import type { Json } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import { effortsOf } from '../../model-rules/efforts.js';
import type { EncodeContext } from '../encode-context.js';
import { lists } from '../listed-parameters.js';
import { requestedEffort, nearestEffort } from '../reasoning-effort.js';

/** Requests encrypted reasoning, which can be sent back. */
const SEALED_REASONING = 'reasoning.encrypted_content';

export interface EncodedReasoning {
  readonly reasoning?: Json;
  readonly include?: string;
}

/** How much the model should reason, how much of the reasoning it should show, and that it can be sent back. */
export function encodeReasoning(context: EncodeContext): EncodedReasoning {
  const { request, target } = context;
  if (!context.carries('reasoning') && !context.carries('reasoning_effort')) return {};
  const requested = requestedEffort(request);
  const effort = requested && nearestEffort(requested, effortsOf(target));
  const summary = summaryOf(request);
  return definedOnly({
    reasoning: effort === undefined && summary === undefined ? undefined : definedOnly({ effort, summary }),
    include: isKnownToReason(request, target, effort) ? SEALED_REASONING : undefined,
  });
}

/** A summary is requested only where the caller requests one: OpenAI refuses it to unverified organisations. */
function summaryOf({ reasoningSummary, thinking }: ModelRequest): string | undefined {
  if (thinking?.type === 'disabled') return undefined;
  return reasoningSummary ?? (thinking?.display === 'summarized' ? 'auto' : undefined);
}

/**
 * Models that do not reason refuse a request for encrypted reasoning. It is sent to models that are known to reason, or
 * are requested to.
 */
function isKnownToReason({ thinking }: ModelRequest, target: Target, effort: Effort | undefined): boolean {
  if (lists(target, 'reasoning', 'reasoning_effort', 'include_reasoning')) return true;
  return effort === undefined ? thinking !== undefined && thinking.type !== 'disabled' : effort !== 'none';
}
