import { frame, json, slices, sse, type Script } from './upstream-answers.js';

// Ready-made answers of a chat-completions upstream, written from the provider's public documentation;
// doubles/openai-chat.ts defines its refusals.

/** OpenAI's error body. */
export const openaiError = (message: string, type = 'invalid_request_error', code: string | null = null) => ({
  error: { message, type, param: null, code },
});

export interface OpenaiReply {
  readonly text?: string;
  readonly refusal?: string;
  /** `reasoning_content`, as sent by providers of reasoning models other than OpenAI. */
  readonly reasoning?: string;
  /** Ids are `call_0`, `call_1`, … unless given. */
  readonly tools?: readonly { readonly name: string; readonly arguments: string; readonly id?: string }[];
  readonly finishReason?: string;
  /** Replaces the usual 12 and 7 tokens; null: the provider never reports usage. */
  readonly usage?: Record<string, unknown> | null;
}

const USAGE = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 };

/**
 * Answers with this reply, streamed when the body requests it; usage is streamed only for `include_usage`, as at
 * OpenAI.
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

/** The frames that stream a reply, including the end marker. */
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

export const openaiText = (text: string): Script => openaiReply({ text });

/** Calls tools; `input` is written as JSON. */
export const openaiTools = (...calls: { name: string; input: unknown }[]): Script =>
  openaiReply({ tools: calls.map(({ name, input }) => ({ name, arguments: JSON.stringify(input) })) });
