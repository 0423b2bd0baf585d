import type { JsonBody, RecordedRequest } from './recorded-request.js';
import { frame, json, sse, type Complaint, type Script } from './upstream-answers.js';

// A chat-completions upstream: what it refuses, and ready-made answers, written from the
// provider's public documentation.

const FIELDS = new Set([
  'model', 'messages', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'n', 'stop', 'stream', 'stream_options',
  'tools', 'tool_choice', 'parallel_tool_calls', 'response_format', 'reasoning_effort', 'seed', 'user', 'logprobs',
  'top_logprobs', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'metadata', 'store', 'service_tier', 'modalities',
  'audio', 'prediction', 'web_search_options', 'verbosity', 'prompt_cache_key', 'prompt_cache_retention',
  'safety_identifier',
]); // prettier-ignore
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const PARTS = new Set(['text', 'image_url', 'input_audio', 'file', 'refusal']);
const PART_FIELDS = new Set(['type', 'text', 'image_url', 'input_audio', 'file', 'refusal']);
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** OpenAI's error body. */
export const openaiError = (message: string, type = 'invalid_request_error', code: string | null = null) => ({
  error: { message, type, param: null, code },
});

/** The error that OpenAI's API answers this request with, undefined when it takes it. */
export function openaiComplaint(request: RecordedRequest): Complaint | undefined {
  const { headers, json: body } = request;
  if (!/^Bearer \S+$/.test(headers.authorization ?? '')) {
    return {
      status: 401,
      body: openaiError("You didn't provide an API key.", 'invalid_request_error', 'invalid_api_key'),
    };
  }
  const message = wrongInBody(body);
  return message ? { status: 400, body: openaiError(message) } : undefined;
}

function wrongInBody(body: JsonBody): string | undefined {
  if (typeof body !== 'object' || body === null) return 'We could not parse the JSON body of your request.';
  for (const field of Object.keys(body)) {
    if (!FIELDS.has(field)) return `Unrecognized request argument supplied: ${field}`;
  }
  if (typeof body.model !== 'string') return 'you must provide a model parameter';
  if (!Array.isArray(body.messages) || body.messages.length === 0) return "Missing required parameter: 'messages'.";
  if (body.stream_options !== undefined && body.stream !== true) {
    return "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
  }
  for (const [index, tool] of (body.tools ?? []).entries()) {
    if (tool.type !== 'function') return `Invalid value: '${tool.type}'. tools[${index}].type must be 'function'.`;
    if (!TOOL_NAME.test(tool.function?.name))
      return `Invalid 'tools[${index}].function.name': string does not match pattern.`;
  }
  return wrongInMessages(body.messages);
}

function wrongInMessages(messages: JsonBody[]): string | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (!ROLES.has(message.role)) return `Invalid value: '${message.role}'. messages[${index}].role is not supported.`;
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        return `messages[${index}]: role 'tool' must be a response to a preceding message with 'tool_calls'.`;
      }
    } else if (open.size > 0) {
      return `messages[${index}]: an assistant message with 'tool_calls' must be followed by tool messages: ${[...open].join()}`;
    }
    if (message.role === 'assistant') open = new Set((message.tool_calls ?? []).map((call: JsonBody) => call.id));
    for (const part of Array.isArray(message.content) ? message.content : []) {
      if (!PARTS.has(part.type))
        return `Invalid value: '${part.type}'. messages[${index}].content has an unsupported part.`;
      const field = Object.keys(part).find((name) => !PART_FIELDS.has(name));
      if (field) return `Unknown parameter: 'messages[${index}].content[].${field}'.`;
    }
  }
  return open.size > 0 ? `'tool_calls' without a response: ${[...open].join()}` : undefined;
}

export interface OpenaiReply {
  readonly text?: string;
  readonly refusal?: string;
  /** `reasoning_content`, as providers of reasoning models beside OpenAI send it. */
  readonly reasoning?: string;
  /** Ids are `call_0`, `call_1`, … unless given. */
  readonly tools?: readonly { readonly name: string; readonly arguments: string; readonly id?: string }[];
  readonly finishReason?: string;
  /** Replaces the usual 12 and 7 tokens; null: the provider never says. */
  readonly usage?: Record<string, unknown> | null;
}

const USAGE = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 };

/**
 * Answers with this reply, streamed when the body asks for it; usage is streamed only for
 * `include_usage`, as OpenAI does.
 */
export function openaiReply(reply: OpenaiReply): Script {
  return (request) => {
    const model = request.json?.model ?? 'gpt-loopback';
    if (request.json?.stream === true) {
      return sse(openaiFrames(reply, model, request.json.stream_options?.include_usage === true));
    }
    const calls = toolCalls(reply);
    const message = {
      role: 'assistant',
      content: reply.text ?? null,
      refusal: reply.refusal ?? null,
      ...(reply.reasoning !== undefined && { reasoning_content: reply.reasoning }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return json({
      id: 'chatcmpl-loopback',
      object: 'chat.completion',
      created: 1_700_000_000,
      model,
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }],
      ...(reply.usage !== null && { usage: reply.usage ?? USAGE }),
    });
  };
}

/** The frames that stream a reply, the sentinel included. */
export function openaiFrames(reply: OpenaiReply, model: string, includeUsage: boolean): string[] {
  const head = { id: 'chatcmpl-loopback', object: 'chat.completion.chunk', created: 1_700_000_000, model };
  const chunk = (delta: unknown, finish: string | null = null): string =>
    frame('', { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  const frames = [chunk({ role: 'assistant', content: '' })];
  for (const reasoning_content of slices(reply.reasoning ?? '')) frames.push(chunk({ reasoning_content }));
  for (const content of slices(reply.text ?? '')) frames.push(chunk({ content }));
  for (const refusal of slices(reply.refusal ?? '')) frames.push(chunk({ refusal }));
  for (const [index, call] of toolCalls(reply).entries()) {
    frames.push(chunk({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }] }));
    for (const piece of slices(call.function.arguments)) {
      frames.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  frames.push(chunk({}, finishReason(reply)));
  if (includeUsage && reply.usage !== null)
    frames.push(frame('', { ...head, choices: [], usage: reply.usage ?? USAGE }));
  frames.push(frame('', '[DONE]'));
  return frames;
}

function toolCalls(reply: OpenaiReply) {
  return (reply.tools ?? []).map((tool, index) => ({
    id: tool.id ?? `call_${index}`,
    type: 'function',
    function: { name: tool.name, arguments: tool.arguments },
  }));
}

function finishReason(reply: OpenaiReply): string {
  return reply.finishReason ?? (reply.tools?.length ? 'tool_calls' : 'stop');
}

function slices(text: string, length = 5): string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / length);
  return Array.from({ length: count }, (_, index) => characters.slice(index * length, (index + 1) * length).join(''));
}

export const openaiText = (text: string): Script => openaiReply({ text });

/** Calls tools; `input` is written as JSON. */
export const openaiTools = (...calls: { name: string; input: unknown }[]): Script =>
  openaiReply({ tools: calls.map(({ name, input }) => ({ name, arguments: JSON.stringify(input) })) });
