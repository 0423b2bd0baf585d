import type { UnifiedStop } from '../core/conversation/event.js';

/** How the Messages format says why a reply ended (docs/wire/messages.md#reply). */
export const MESSAGES_STOP_REASONS: Readonly<Record<UnifiedStop, string>> = {
  'end-turn': 'end_turn',
  'output-limit': 'max_tokens',
  'context-limit': 'model_context_window_exceeded',
  'stop-sequence': 'stop_sequence',
  'tool-use': 'tool_use',
  pause: 'pause_turn',
  refusal: 'refusal',
  'content-filter': 'refusal',
  compaction: 'compaction',
  other: 'end_turn',
};

/**
 * How chat says it. The format knows five words (docs/wire/chat.md#finish-reasons,
 * docs/reasons/translation.md#stop-reasons, docs/reasons/translation.md#chat-finish-reasons); the vendor's own stands
 * beside.
 */
export const CHAT_FINISH_REASONS: Readonly<Record<UnifiedStop, string>> = {
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
