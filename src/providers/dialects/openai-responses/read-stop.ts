import type { StopReason, UnifiedStop } from '../../../core/conversation/event.js';
import { isJsonObject, type JsonObject } from '../../../core/json/json.js';
import { nonEmpty } from '../read-json.js';

/** Why a reply is incomplete, by `incomplete_details.reason`. */
const INCOMPLETE: Readonly<Record<string, UnifiedStop>> = {
  max_output_tokens: 'output-limit',
  max_tokens: 'output-limit',
  length: 'output-limit',
  content_filter: 'content-filter',
};

/** What the reply held, as far as it changes what its end means. */
export interface StopContext {
  readonly hasToolCalls: boolean;
  readonly hasRefusal: boolean;
}

/** @param response the finished reply; one without a status is complete */
export function readStop(response: JsonObject, { hasToolCalls, hasRefusal }: StopContext): StopReason {
  const vendor = 'openai-responses';
  if (response['status'] === 'incomplete') {
    const details = response['incomplete_details'];
    const raw = (isJsonObject(details) ? nonEmpty(details['reason']) : undefined) ?? 'incomplete';
    return { unified: Object.hasOwn(INCOMPLETE, raw) ? INCOMPLETE[raw]! : 'other', raw, vendor };
  }
  const unified: UnifiedStop = hasToolCalls ? 'tool-use' : hasRefusal ? 'refusal' : 'end-turn';
  return { unified, raw: nonEmpty(response['status']) ?? null, vendor };
}
