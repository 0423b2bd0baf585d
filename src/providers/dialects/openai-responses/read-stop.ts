import type { StopReason } from '../../../core/conversation/event.js';
import type { JsonObject } from '../../../core/json/json.js';
import { nonEmpty, objectOf } from '../read-json.js';
import { unifiedStop } from '../stop-words.js';
import { TABLE } from './table.js';

/** What a reply is that came to its end: not all upstreams tell a status, and not all change it then. */
const COMPLETED = 'completed';

/** What the reply held, as far as it changes what its end means. */
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
