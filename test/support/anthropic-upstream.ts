import { signatureOf } from './doubles/double.js';
import type { JsonBody } from './recorded-request.js';
import { frame, json, slices, sse, type Script } from './upstream-answers.js';

// Ready-made answers of an Anthropic Messages upstream, written from the provider's public documentation;
// doubles/anthropic-messages.ts defines its refusals.

/** Anthropic's error body. */
export const anthropicError = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_loopback',
});

/** The default end of a reply. */
const END = { stopReason: 'end_turn', usage: { input_tokens: 12, output_tokens: 7 } };

export interface AnthropicEnd {
  readonly stopReason?: string;
  readonly stopSequence?: string;
  readonly stopDetails?: object;
  /** Merged over input 12, output 7. */
  readonly usage?: Record<string, unknown>;
}

/**
 * Answers with these content blocks, streamed when the body requests it: text and arguments in pieces of a few
 * characters.
 */
export function anthropicReply(content: readonly Record<string, JsonBody>[], end: AnthropicEnd = {}): Script {
  return (request) => {
    const message = {
      id: 'msg_loopback',
      type: 'message',
      role: 'assistant',
      model: request.json?.model ?? 'claude-loopback',
      content,
      stop_reason: end.stopReason ?? END.stopReason,
      stop_sequence: end.stopSequence ?? null,
      ...(end.stopDetails && { stop_details: end.stopDetails }),
      usage: {
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        service_tier: 'standard',
        ...END.usage,
        ...end.usage,
      },
    };
    return request.json?.stream === true
      ? sse(anthropicFrames(message))
      : json(message, 200, { 'request-id': 'req_loopback' });
  };
}

/** The frames that stream a whole Anthropic message. */
export function anthropicFrames(message: Record<string, JsonBody>): string[] {
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: undefined,
    ...(message.usage && { usage: { ...message.usage, output_tokens: 1 } }),
  };
  const frames = [frame('message_start', { type: 'message_start', message: start }), frame('ping', { type: 'ping' })];
  for (const [index, block] of message.content.entries()) {
    const { start: blockStart, deltas } = streamed(block);
    frames.push(frame('content_block_start', { type: 'content_block_start', index, content_block: blockStart }));
    for (const delta of deltas)
      frames.push(frame('content_block_delta', { type: 'content_block_delta', index, delta }));
    frames.push(frame('content_block_stop', { type: 'content_block_stop', index }));
  }
  const { stop_reason, stop_sequence, stop_details, usage } = message;
  const ending = { stop_reason, stop_sequence, ...(stop_details && { stop_details }) };
  frames.push(frame('message_delta', { type: 'message_delta', delta: ending, usage }));
  frames.push(frame('message_stop', { type: 'message_stop' }));
  return frames;
}

function streamed(block: Record<string, JsonBody>): { start: unknown; deltas: unknown[] } {
  switch (block.type) {
    case 'text':
      return {
        start: { ...block, text: '' },
        deltas: slices(block.text).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking': {
      const thinking = slices(block.thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece }));
      const signature = { type: 'signature_delta', signature: block.signature };
      return { start: { ...block, thinking: '', signature: '' }, deltas: [...thinking, signature] };
    }
    case 'tool_use':
    case 'server_tool_use': {
      const pieces = ['', ...slices(JSON.stringify(block.input))];
      const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
      return { start: { ...block, input: {} }, deltas };
    }
    default:
      return { start: block, deltas: [] };
  }
}

export const anthropicText = (text: string, end: AnthropicEnd = {}): Script =>
  anthropicReply([{ type: 'text', text }], end);

/** Calls tools; ids are `toolu_0`, `toolu_1`, … */
export const anthropicToolUse = (...calls: { name: string; input: unknown }[]): Script =>
  anthropicReply(
    calls.map(({ name, input }, index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input })),
    { stopReason: 'tool_use' },
  );

export const anthropicThinking = (thinking: string, text: string): Script =>
  anthropicReply([
    { type: 'thinking', thinking, signature: signatureOf('anthropic', thinking) },
    { type: 'text', text },
  ]);
