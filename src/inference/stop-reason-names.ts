import type { UnifiedStop } from '../core/conversation/event.js';

/** Stop reasons of the Messages format (docs/use/messages.md#reply). */
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
  computed: 'end_turn',
  other: 'end_turn',
};

/**
 * Finish reasons of the chat format, which has five (docs/use/chat.md#finish-reasons,
 * docs/contribute/reasons/translation.md#stop-reasons, docs/contribute/reasons/translation.md#chat-finish-reasons).
 * `native_finish_reason` has the vendor's own value.
 */
export const CHAT_FINISH_REASONS: Readonly<Record<UnifiedStop, string>> = {
  'end-turn': 'stop',
  'output-limit': 'length',
  'context-limit': 'length',
  'stop-sequence': 'stop',
  'tool-use': 'tool_calls',
  // The vendor's turn continues when its reply is sent back; this format has no word for that.
  pause: 'stop',
  refusal: 'content_filter',
  'content-filter': 'content_filter',
  compaction: 'stop',
  computed: 'stop',
  other: 'stop',
};
