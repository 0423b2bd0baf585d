import type { StopReason } from '../../../core/conversation/event.js';
import type { JsonObject } from '../../../core/json/json.js';
import { nonEmpty, objectOf } from '../read-json.js';
import { assertNoFault, unifiedStop } from '../stop-reason-table.js';
import { TABLE } from './table.js';

/**
 * @param raw the provider's `stopReason`, null where a whole reply has none
 * @param fields additional fields of the model's own reply, as far as the call requested them
 * @throws ProviderFault when the reason is a failure
 */
export function readStop(raw: string | null, hasToolCalls: boolean, fields: JsonObject): StopReason {
  if (raw !== null)
    assertNoFault(TABLE.stops, raw, undefined, "The provider's model produced output that cannot be read.");
  const unified = unifiedStop(TABLE.stops, raw, hasToolCalls);
  const sequence = unified === 'stop-sequence' ? sequenceIn(fields) : undefined;
  return { unified, raw, vendor: 'amazon', ...(sequence !== undefined && { sequence }) };
}

const sequenceIn = (fields: JsonObject): string | undefined =>
  nonEmpty(fields['stop_sequence']) ?? nonEmpty(objectOf(fields['delta'])['stop_sequence']);
