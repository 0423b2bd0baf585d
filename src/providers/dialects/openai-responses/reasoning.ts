import type { Effort } from '../../../core/conversation/effort.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { definedOnly } from '../../../core/defined.js';
import type { Json } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import type { EncodeContext } from '../encode-context.js';
import { lists } from '../listed-parameters.js';
import { askedEffort, nearestEffort } from '../reasoning-effort.js';

/** What every model that reasons takes. */
const COMMON_EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];
/** Reasoning then comes with what only its maker can read, so that it can be handed back. */
const SEALED_REASONING = 'reasoning.encrypted_content';

export interface EncodedReasoning {
  readonly reasoning?: Json;
  readonly include?: string;
}

/** How much the model is to reason, how much of that it is to tell, and that it is to be handed back. */
export function encodeReasoning(context: EncodeContext): EncodedReasoning {
  const { request, target } = context;
  if (!context.carries('reasoning') && !context.carries('reasoning_effort')) return {};
  const asked = askedEffort(request);
  const effort = asked && nearestEffort(asked, target.definition.quirks.efforts ?? COMMON_EFFORTS);
  const summary = summaryOf(request);
  return definedOnly({
    reasoning: effort === undefined && summary === undefined ? undefined : definedOnly({ effort, summary }),
    include: isKnownToReason(request, target, effort) ? SEALED_REASONING : undefined,
  });
}

/** A summary is told only to who asks: OpenAI refuses to tell it to organisations that it has not verified. */
function summaryOf({ reasoningSummary, thinking }: ModelRequest): string | undefined {
  if (thinking?.type === 'disabled') return undefined;
  return reasoningSummary ?? (thinking?.display === 'summarized' ? 'auto' : undefined);
}

/** Models that do not reason refuse to seal what they have not: it is asked of those that are known to, or told to. */
function isKnownToReason({ thinking }: ModelRequest, target: Target, effort: Effort | undefined): boolean {
  if (lists(target, 'reasoning', 'reasoning_effort', 'include_reasoning')) return true;
  return effort === undefined ? thinking !== undefined && thinking.type !== 'disabled' : effort !== 'none';
}
