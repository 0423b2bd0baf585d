import type { StopReason, UnifiedStop } from '../core/conversation/event.js';
import type { JsonObject } from '../core/json/json.js';

/**
 * The format knows five words (docs/wire/chat.md#finish-reasons, docs/reasons/translation.md#stop-reasons,
 * docs/reasons/translation.md#chat-finish-reasons); the vendor's own stands beside.
 */
const FINISH_REASONS: Readonly<Record<UnifiedStop, string>> = {
  'end-turn': 'stop',
  'output-limit': 'length',
  'context-limit': 'length',
  'stop-sequence': 'stop',
  'tool-use': 'tool_calls',
  // The vendor's turn goes on when its reply is sent back; there is no word for that here.
  pause: 'stop',
  refusal: 'content_filter',
  'content-filter': 'content_filter',
  compaction: 'stop',
  other: 'stop',
};

/** Why a reply ended. */
export function viewFinish({ unified, raw, vendor }: StopReason): JsonObject {
  // Of a loop of tools there was no room for more.
  if (unified === 'pause' && raw === null) return { finish_reason: 'length', native_finish_reason: null };
  // A vendor of this format tells a refusal in a field of its own and ends as usual: its clients expect both.
  const refusedInWords = unified === 'refusal' && vendor === 'openai' && raw === 'stop';
  return { finish_reason: refusedInWords ? 'stop' : FINISH_REASONS[unified], native_finish_reason: raw };
}
