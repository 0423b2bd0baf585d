import { openaiComplaint, openaiError } from './openai-upstream.js';
import type { JsonBody, RecordedRequest } from './recorded-request.js';
import { frame, json, sse, type Complaint, type Script } from './upstream-answers.js';

// An upstream of the responses format, which takes chat completions as well: what it refuses, and ready-made answers,
// written from the provider's public documentation.

const FIELDS = new Set([
  'model', 'input', 'instructions', 'max_output_tokens', 'temperature', 'top_p', 'top_logprobs', 'stream', 'tools',
  'tool_choice', 'parallel_tool_calls', 'reasoning', 'text', 'include', 'store', 'service_tier', 'prompt_cache_key', 'user',
  'safety_identifier', 'metadata', 'truncation',
]); // prettier-ignore
const PARTS_OF: Readonly<Record<string, ReadonlySet<string>>> = {
  user: new Set(['input_text', 'input_image', 'input_file']),
  system: new Set(['input_text']),
  developer: new Set(['input_text']),
  assistant: new Set(['output_text', 'refusal']),
};
const CALL_ID_MAX = 64;
const OUTPUT_TOKENS_MIN = 16;

/** The error that OpenAI's API answers this request with, undefined when it takes it. */
export function responsesComplaint(request: RecordedRequest): Complaint | undefined {
  if (!request.path.endsWith('/responses')) return openaiComplaint(request);
  if (!/^Bearer \S+$/.test(request.headers.authorization ?? '')) {
    return { status: 401, body: openaiError("You didn't provide an API key.", 'invalid_request_error', 'invalid_api_key') }; // prettier-ignore
  }
  const message = wrongInBody(request.json);
  return message ? { status: 400, body: openaiError(message) } : undefined;
}

function wrongInBody(body: JsonBody): string | undefined {
  for (const field of Object.keys(body)) if (!FIELDS.has(field)) return `Unknown parameter: '${field}'.`;
  if (!Array.isArray(body.input) || body.input.length === 0) return "Missing required parameter: 'input'.";
  if (body.max_output_tokens < OUTPUT_TOKENS_MIN) return "Invalid 'max_output_tokens': integer below minimum value.";
  for (const [index, tool] of (body.tools ?? []).entries()) {
    if (tool.type === 'function' && (typeof tool.name !== 'string' || typeof tool.strict !== 'boolean'))
      return `Missing required parameter: 'tools[${index}].strict'.`;
  }
  return wrongInItems(body.input);
}

function wrongInItems(items: JsonBody[]): string | undefined {
  const open = new Set<string>();
  for (const [index, item] of items.entries()) {
    switch (item.type) {
      case 'message':
        for (const part of item.content) {
          if (!PARTS_OF[item.role]?.has(part.type)) return `Invalid value: '${part.type}'. input[${index}].content`;
        }
        break;
      case 'reasoning':
        if (typeof item.encrypted_content !== 'string') return `Item with id '${item.id}' not found.`;
        if (!['message', 'function_call'].includes(items[index + 1]?.type))
          return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
        break;
      case 'function_call':
        if (item.call_id.length > CALL_ID_MAX) return `Invalid 'input[${index}].call_id': string too long.`;
        open.add(item.call_id);
        break;
      case 'function_call_output':
        if (!open.delete(item.call_id))
          return `No tool call found for function call output with call_id ${item.call_id}.`;
        break;
      default:
        return `Invalid value: '${item.type}'. input[${index}].type`;
    }
  }
  return open.size > 0 ? `No tool output found for function call ${[...open].join()}.` : undefined;
}

const USAGE = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 19,
};

/** Answers with these items, streamed when the body asks for it: words, summaries and arguments in two pieces. */
export function responsesReply(items: readonly JsonBody[], more: object = {}): Script {
  return ({ json: body }) => {
    const head = { id: 'resp_loopback', object: 'response', created_at: 1_700_000_000, model: body.model, error: null };
    const whole = { ...head, status: 'completed', incomplete_details: null, output: items, usage: USAGE, ...more };
    if (body.stream !== true) return json(whole);
    const begun = { ...head, status: 'in_progress', output: [], usage: null };
    const events: JsonBody[] = [{ type: 'response.created', response: begun }];
    for (const [index, item] of items.entries()) events.push(...itemEvents(item, index));
    events.push({ type: 'response.completed', response: whole });
    return sse(events.map((event, sequence_number) => frame(event.type, { ...event, sequence_number })));
  };
}

/** A short text. */
export const responsesText = (text: string): Script => responsesReply([messageItem(text)]);

export const messageItem = (text: string, more: object = {}): JsonBody => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});

function itemEvents(item: JsonBody, output_index: number): JsonBody[] {
  const at = { item_id: item.id, output_index };
  const grown = (type: string, text: string, beside: object = {}): JsonBody[] => {
    const half = Math.ceil(text.length / 2);
    return [text.slice(0, half), text.slice(half)].map((delta) => ({ type, ...at, ...beside, delta }));
  };
  const inner = {
    message: () =>
      item.content.flatMap(({ text }: JsonBody, content_index: number) =>
        grown('response.output_text.delta', text, { content_index }),
      ),
    reasoning: () =>
      item.summary.flatMap(({ text }: JsonBody, summary_index: number) =>
        grown('response.reasoning_summary_text.delta', text, { summary_index }),
      ),
    function_call: () => grown('response.function_call_arguments.delta', item.arguments),
  }[item.type as 'message'];
  const empty = { ...item, ...(item.content && { content: [] }), ...(item.summary && { summary: [] }) };
  return [
    { type: 'response.output_item.added', output_index, item: item.arguments === undefined ? empty : { ...item, arguments: '' } },
    ...(inner?.() ?? []),
    { type: 'response.output_item.done', output_index, item },
  ]; // prettier-ignore
}
