import type { JsonBody } from './recorded-request.js';
import { readFrames } from './sse.js';

/**
 * The chunks of a chat stream. @throws when a frame is named, a chunk lacks a required field, or the end marker is not
 * the last frame
 */
export function readChunks(stream: string | Uint8Array): JsonBody[] {
  const frames = readFrames(stream).filter(({ data }) => data !== undefined);
  if (frames.pop()?.data !== '[DONE]') throw new Error('The stream does not end with the sentinel.');
  return frames.map(({ event, data }) => {
    const chunk: JsonBody = JSON.parse(data!);
    const isWhole =
      event === '' &&
      chunk.object === 'chat.completion.chunk' &&
      typeof chunk.id === 'string' &&
      Number.isSafeInteger(chunk.created) &&
      typeof chunk.model === 'string' &&
      Array.isArray(chunk.choices);
    if (!isWhole) throw new Error(`Not a chunk: ${data}`);
    return chunk;
  });
}

/**
 * The completion that the chunks form together, assembled as by a client; `reasoning_details` by index
 * (docs/contribute/reasons/translation.md#reasoning-appears-once).
 */
export function joinChunks(chunks: readonly JsonBody[]): JsonBody {
  const message: JsonBody = {
    content: '',
    refusal: '',
    reasoning: '',
    reasoning_details: [],
    tool_calls: [],
    annotations: [],
    images: [],
  };
  let finish: JsonBody = {};
  let usage: JsonBody;
  for (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    if (!choice) continue;
    const { delta } = choice;
    if (delta.role) message.role = delta.role;
    for (const key of ['content', 'refusal', 'reasoning']) message[key] += delta[key] ?? '';
    for (const { index, function: called, ...call } of delta.tool_calls ?? []) {
      const known = (message.tool_calls[index] ??= { ...call, index, function: { name: '', arguments: '' } });
      known.function.name += called.name ?? '';
      known.function.arguments += called.arguments ?? '';
    }
    for (const { text, summary, ...detail } of delta.reasoning_details ?? []) {
      const known = (message.reasoning_details[detail.index] ??= {});
      Object.assign(known, detail);
      if (text !== undefined) known.text = (known.text ?? '') + text;
      if (summary !== undefined) known.summary = (known.summary ?? '') + summary;
    }
    if (delta.phase) message.phase = delta.phase;
    message.annotations.push(...(delta.annotations ?? []));
    message.images.push(...(delta.images ?? []));
    if (choice.finish_reason) {
      finish = { finish_reason: choice.finish_reason, native_finish_reason: choice.native_finish_reason };
    }
  }
  const isSilent = message.content === '' && (message.tool_calls.length > 0 || message.refusal !== '');
  const { content, refusal, reasoning, role, ...lists } = message;
  return {
    ...finish,
    usage,
    message: {
      role,
      content: isSilent ? null : content,
      refusal: refusal || null,
      reasoning: reasoning || null,
      ...Object.fromEntries(Object.entries(lists).filter(([, list]) => (list as unknown[]).length > 0)),
    },
  };
}
