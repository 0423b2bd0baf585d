import type { StopReason } from '../../core/conversation/event.js';
import type { JsonObject } from '../../core/json/json.js';
import { CHAT_FINISH_REASONS } from '../../inference/stop-reason-names.js';

/** Why a reply ended. */
export function viewFinish({ unified, raw, vendor }: StopReason): JsonObject {
  // A loop of tools ended because one of its limits did not allow another step.
  if (unified === 'pause' && raw === null) return { finish_reason: 'length', native_finish_reason: null };
  // A vendor of this format reports a refusal in a separate field and ends as usual: its clients expect both.
  const refusedInWords = unified === 'refusal' && vendor === 'openai' && raw === 'stop';
  return { finish_reason: refusedInWords ? 'stop' : CHAT_FINISH_REASONS[unified], native_finish_reason: raw };
}
