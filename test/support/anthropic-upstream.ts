import type { JsonBody, RecordedRequest } from './recorded-request.js';
import { frame, json, sse, type Complaint, type Script } from './upstream-answers.js';

// An Anthropic Messages upstream: what it refuses, and ready-made answers, written from the
// provider's public documentation.

const FIELDS = new Set([
  'model', 'messages', 'max_tokens', 'system', 'metadata', 'stop_sequences', 'stream', 'temperature', 'top_p', 'top_k',
  'tools', 'tool_choice', 'thinking', 'service_tier', 'container', 'context_management', 'mcp_servers', 'output_config',
  'output_format', 'cache_control', 'speed', 'inference_geo',
]); // prettier-ignore
/** What its count of tokens takes: what an answer alone needs is refused. */
const COUNT_PATH = '/v1/messages/count_tokens';
const COUNT_FIELDS = new Set([
  'model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'output_format', 'context_management',
  'mcp_servers', 'cache_control', 'speed',
]); // prettier-ignore
const ROLES = new Set(['user', 'assistant', 'system']);
const CACHE_MARKERS_MAX = 4;
const THINKING_BUDGET_MIN = 1024;

/** Anthropic's error body. */
export const anthropicError = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_loopback',
});

/** The error that Anthropic's API answers this request with, undefined when it takes it. */
export function anthropicComplaint(request: RecordedRequest): Complaint | undefined {
  const { headers, path, json: body } = request;
  const counts = path.endsWith(COUNT_PATH);
  if (typeof headers['x-api-key'] !== 'string') {
    return { status: 401, body: anthropicError('authentication_error', 'x-api-key header is required') };
  }
  const wrong = wrongInBody(body, counts) ?? missingBeta(body, String(headers['anthropic-beta'] ?? ''));
  const message = headers['anthropic-version'] ? wrong : 'anthropic-version: header is required';
  return message ? { status: 400, body: anthropicError('invalid_request_error', message) } : undefined;
}

/** What is refused as unknown without its beta, by the vendor's own SDK, which sends both. */
function missingBeta(
  { speed, context_management: management, output_config: output }: JsonBody,
  sent: string,
): string | undefined {
  const compacts = management?.edits?.some(({ type }: JsonBody) => type === 'compact_20260112');
  const needed = [
    ['speed', 'fast-mode-2026-02-01', speed],
    ['context_management', 'context-management-2025-06-27', management],
    ['context_management', 'compact-2026-01-12', compacts],
    ['output_config.task_budget', 'task-budgets-2026-03-13', output?.task_budget],
  ] as const;
  const missing = needed.find(([, beta, value]) => value && !sent.split(',').includes(beta));
  return missing && `${missing[0]}: Extra inputs are not permitted`;
}

function wrongInBody(body: JsonBody, counts: boolean): string | undefined {
  if (typeof body !== 'object' || body === null) return 'The request body is not valid JSON';
  const fields = counts ? COUNT_FIELDS : FIELDS;
  for (const field of Object.keys(body)) if (!fields.has(field)) return `${field}: Extra inputs are not permitted`;
  if (!counts && !Number.isInteger(body.max_tokens)) return 'max_tokens: Field required';
  if (!Array.isArray(body.messages) || body.messages.length === 0) return 'messages: at least one message is required';
  const markers = JSON.stringify(body).split('"cache_control":{').length - 1;
  if (markers > CACHE_MARKERS_MAX) {
    return `A maximum of 4 blocks with cache_control may be provided. Found ${markers}.`;
  }
  if (body.thinking?.type === 'enabled') {
    const budget = body.thinking.budget_tokens;
    if (!(budget >= THINKING_BUDGET_MIN)) return 'thinking.enabled.budget_tokens: must be at least 1024';
    if (!counts && budget >= body.max_tokens) return '`max_tokens` must be greater than `thinking.budget_tokens`';
  }
  return wrongInMessages(body.messages);
}

function wrongInMessages(messages: JsonBody[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    if (!ROLES.has(message.role)) {
      return `messages.${index}.role: Input should be 'user', 'assistant' or 'system'`;
    }
    const called = toolIds(message, 'tool_use', 'id');
    const answered = toolIds(messages[index + 1], 'tool_result', 'tool_use_id');
    const open = called.find((id) => !answered.includes(id));
    if (open) return `messages.${index}: tool_use ids were found without tool_result blocks immediately after: ${open}`;
    const before = toolIds(messages[index - 1], 'tool_use', 'id');
    const stray = toolIds(message, 'tool_result', 'tool_use_id').find((id) => !before.includes(id));
    if (stray) return `messages.${index}: unexpected tool_use_id found in tool_result blocks: ${stray}`;
  }
  return undefined;
}

function toolIds(message: JsonBody, type: string, key: string): string[] {
  if (!Array.isArray(message?.content)) return [];
  return message.content.filter((block: JsonBody) => block.type === type).map((block: JsonBody) => block[key]);
}

/** The end of a reply that has nothing to say about it. */
const END = { stopReason: 'end_turn', usage: { input_tokens: 12, output_tokens: 7 } };

export interface AnthropicEnd {
  readonly stopReason?: string;
  readonly stopSequence?: string;
  readonly stopDetails?: object;
  /** Merged over input 12, output 7. */
  readonly usage?: Record<string, unknown>;
}

/**
 * Answers with these content blocks, streamed when the body asks for it: text and arguments in
 * pieces of a few characters.
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
    usage: { ...message.usage, output_tokens: 1 },
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

/** Pieces of a few characters, never cutting one: as a model gives them. */
function slices(text: string, length = 5): string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / length);
  return Array.from({ length: count }, (_, index) => characters.slice(index * length, (index + 1) * length).join(''));
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
    { type: 'thinking', thinking, signature: 'c2lnbmF0dXJl' },
    { type: 'text', text },
  ]);
