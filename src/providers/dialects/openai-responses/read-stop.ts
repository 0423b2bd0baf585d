import type { StopReason } from '../../../core/conversation/event.js';
import type { JsonObject } from '../../../core/json/json.js';
import { nonEmpty, objectOf } from '../read-json.js';
import { unifiedStop } from '../stop-reason-table.js';
import { TABLE } from './table.js';

/** The default status of a reply that has ended: not all providers report one, and not all update it at the end. */
const COMPLETED = 'completed';

/** The content of the reply, as far as it changes the meaning of its end. */
export interface StopContext {
  readonly hasToolCalls: boolean;
  readonly hasRefusal: boolean;
}

/** @param response the finished reply */
export function readStop(response: JsonObject, { hasToolCalls, hasRefusal }: StopContext): StopReason {
  const status = nonEmpty(response['status']);
  const reason =
    status === 'incomplete' ? (nonEmpty(objectOf(response['incomplete_details'])['reason']) ?? status) : undefined;
  const unified = unifiedStop(TABLE.stops, reason ?? COMPLETED, hasToolCalls);
  return {
    unified: unified === 'end-turn' && hasRefusal ? 'refusal' : unified,
    raw: reason ?? status ?? null,
    vendor: 'openai-responses',
  };
}
