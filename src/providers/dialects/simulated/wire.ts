import type { JsonObject } from '../../../core/json/json.js';
import { writeFrame } from '../../../core/stream/sse.js';
import { argumentsText, countTokens, type AnswerBlock, type Message, type Refusal } from './answer.js';
import type { SandboxRequest } from './sandbox-request.js';
import { splitEvery } from './words.js';

/** A frame to send, and whether it is a piece of content, which a slow model delays. */
export interface TimedFrame {
  readonly text: string;
  readonly isPiece: boolean;
}

/** The number of pieces after which a flawed stream breaks. */
const PIECES_BEFORE_FLAW = 3;
const ARGUMENT_PIECE_LENGTH = 8;

const BROKEN_JSON = '{"type":"message_start","message":{"id":';
const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

/**
 * The stream of an answer, frame by frame, in the order and shapes of the Messages format
 * (docs/use/streaming.md#events-of-messages).
 */
export function* streamMessage(message: Message, request: SandboxRequest, id: string): Generator<TimedFrame> {
  if (message.flaw === 'malformed') {
    yield { text: writeFrame('message_start', BROKEN_JSON), isPiece: false };
    return;
  }
  const head = { ...headOf(request, id), content: [], stop_reason: null, stop_sequence: null };
  yield frame({ type: 'message_start', message: { ...head, usage: usageOf(message, request, 0) } });
  let pieces = 0;
  for (const [index, block] of message.blocks.entries()) {
    yield frame({ type: 'content_block_start', index, content_block: emptyBlock(block) });
    for (const delta of deltasOf(block)) {
      if (message.flaw && pieces === PIECES_BEFORE_FLAW) {
        if (message.flaw === 'error') yield frame(OVERLOADED);
        return;
      }
      yield frame({ type: 'content_block_delta', index, delta }, true);
      pieces++;
    }
    yield frame({ type: 'content_block_stop', index });
  }
  yield frame({ type: 'message_delta', delta: endingOf(message), usage: usageOf(message, request) });
  yield frame({ type: 'message_stop' });
}

/** The whole reply as the text of its body; a flaw damages the text. */
export function printMessage(message: Message, request: SandboxRequest, id: string): string {
  if (message.flaw === 'error') return JSON.stringify(OVERLOADED);
  if (message.flaw === 'malformed') return BROKEN_JSON;
  const whole = JSON.stringify({
    ...headOf(request, id),
    content: message.blocks.map(fullBlock),
    ...endingOf(message),
    usage: usageOf(message, request),
  });
  return message.flaw === 'cut' ? whole.slice(0, whole.length / 2) : whole;
}

/** The body of a refusal. */
export function printRefusal({ type, message }: Refusal, id: string): string {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: id });
}

/** Pieces of content in an answer, which determine how long a slow model takes for all of it. */
export function countPieces(message: Message): number {
  return message.blocks.reduce((sum, block) => sum + deltasOf(block).length, 0);
}

function frame(payload: JsonObject & { readonly type: string }, isPiece = false): TimedFrame {
  return { text: writeFrame(payload.type, JSON.stringify(payload)), isPiece };
}

const headOf = (request: SandboxRequest, id: string): JsonObject => ({
  id,
  type: 'message',
  role: 'assistant',
  model: request.model,
});

const endingOf = (message: Message): JsonObject => ({
  stop_reason: message.stopReason,
  stop_sequence: null,
  ...(message.stopDetails && { stop_details: message.stopDetails }),
});

function emptyBlock(block: AnswerBlock): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '', citations: null };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'image':
      return fullBlock(block);
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
  }
}

function fullBlock(block: AnswerBlock): JsonObject {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.words.join(''), citations: null };
    case 'thinking':
      return { type: 'thinking', thinking: block.words.join(''), signature: block.signature };
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: block.mediaType, data: block.data } };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
  }
}

function deltasOf(block: AnswerBlock): JsonObject[] {
  switch (block.type) {
    case 'text':
      return block.words.map((text) => ({ type: 'text_delta', text }));
    case 'thinking':
      return [
        ...block.words.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'image':
      return [];
    case 'tool_use':
      return splitEvery(argumentsText(block.input), ARGUMENT_PIECE_LENGTH).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
  }
}

/** @param outputTokens those known so far; by default the whole answer's */
function usageOf(
  message: Message,
  { inputTokens, speed, inferenceGeo }: SandboxRequest,
  outputTokens?: number,
): JsonObject {
  const { read, written } = message.cached ?? { read: 0, written: 0 };
  const thinking = message.blocks.find((block) => block.type === 'thinking');
  return {
    input_tokens: inputTokens - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens ?? message.blocks.reduce((sum, block) => sum + countTokens(block), 0),
    ...(thinking &&
      outputTokens === undefined && { output_tokens_details: { thinking_tokens: countTokens(thinking) } }),
    service_tier: 'standard',
    ...(speed !== undefined && { speed }),
    ...(inferenceGeo !== undefined && { inference_geo: inferenceGeo }),
  };
}
