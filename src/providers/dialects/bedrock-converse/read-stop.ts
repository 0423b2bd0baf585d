import type { StopReason, UnifiedStop } from '../../../core/conversation/event.js';
import { ProviderFault } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json/json.js';
import { nonEmpty, objectOf } from '../read-json.js';

const UNIFIED: ReadonlyMap<string, UnifiedStop> = new Map([
  ['end_turn', 'end-turn'],
  ['tool_use', 'tool-use'],
  ['max_tokens', 'output-limit'],
  ['model_context_window_exceeded', 'context-limit'],
  ['stop_sequence', 'stop-sequence'],
  ['guardrail_intervened', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
]);

/** Words that stand in the place of an answer: what the model made cannot be read, also not as far as it came. */
const BROKEN: ReadonlySet<string> = new Set(['malformed_model_output', 'malformed_tool_use']);

/**
 * @param raw the provider's `stopReason`, null where a whole reply has none
 * @param fields what the model's own reply says beside, as far as it was asked for
 * @throws ProviderFault when the word stands for a failure
 */
export function readStop(raw: string | null, hasToolCalls: boolean, fields: JsonObject): StopReason {
  if (raw !== null && BROKEN.has(raw)) {
    throw new ProviderFault('malformed-reply', "The provider's model made what cannot be read.", { providerCode: raw });
  }
  const unified = unifiedOf(raw, hasToolCalls);
  const sequence = unified === 'stop-sequence' ? sequenceIn(fields) : undefined;
  return { unified, raw, vendor: 'amazon', ...(sequence !== undefined && { sequence }) };
}

/** Some models say that the turn has ended though they call a tool. */
function unifiedOf(raw: string | null, hasToolCalls: boolean): UnifiedStop {
  const unified = raw === null ? 'end-turn' : (UNIFIED.get(raw) ?? 'other');
  if (unified === 'end-turn' && hasToolCalls) return 'tool-use';
  return unified === 'tool-use' && !hasToolCalls ? 'end-turn' : unified;
}

const sequenceIn = (fields: JsonObject): string | undefined =>
  nonEmpty(fields['stop_sequence']) ?? nonEmpty(objectOf(fields['delta'])['stop_sequence']);
