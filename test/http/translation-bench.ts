import { joinChunks, readChunks } from '../support/chat-stream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readResponseEvents } from '../support/response-events.js';
import { readMessagesEvents } from '../support/sse.js';
import { frame } from '../support/upstream-answers.js';
import type { UpstreamKind } from '../support/upstreams.js';
import { buildMessage } from './messages-bench.js';

// One conversation in the form of each face, one reply in the form of each dialect, and the content of both in a
// neutral form.

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

/** A reply as seen by its caller. */
export interface SeenReply {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly JsonBody[];
  readonly stop: string;
  /** The sequence that was met, where the face reports it. */
  readonly stopSequence: string | null;
  /** The prompt as the face counts it, and how much of it was cached; null: not reported. */
  readonly usage: { readonly prompt: number; readonly cached: number | null; readonly output: number };
  /** The assistant's turn, as a client hands it back. */
  readonly turn: JsonBody;
}

export type FaceName = 'messages' | 'chat' | 'responses';
/** Most suites know two faces; those that take the third in name it. */
export type AnyFace = TestFace<FaceName>;

/**
 * The form in which a face's callers write. Everything is a list of messages, because the faces need different numbers
 * of them.
 */
export interface TestFace<Name extends FaceName = 'messages' | 'chat'> {
  readonly name: Name;
  readonly path: string;
  user(...texts: readonly string[]): JsonBody[];
  calls(...calls: readonly Call[]): JsonBody[];
  /** Results, and the user's text with them. */
  results(results: readonly { readonly id: string; readonly text: string }[], ...texts: readonly string[]): JsonBody[];
  /** Instructions in the middle, with a cache marker. */
  system(text: string): JsonBody[];
  readonly tool: (name: string, schema: object) => JsonBody;
  /** The request for so many tokens of thinking. */
  thinking(budget: number): object;
  effort(effort: string): object;
  whole(body: JsonBody): SeenReply;
  /** @throws where the stream breaks the grammar */
  streamed(stream: string): SeenReply;
  /** The kinds of content of a stream in their order, one entry for each time that a kind begins. */
  kinds(stream: string): string[];
  /** The form of a provider's error, with its status. */
  error(status: number, message: unknown): object;
}

const MARKER = { type: 'ephemeral', ttl: '1h' } as const;

function readMessageReply(message: JsonBody): SeenReply {
  const { content, stop_reason: stop, usage } = message;
  const ofType = (type: string): JsonBody[] => content.filter((block: JsonBody) => block.type === type);
  return {
    thinking: ofType('thinking')
      .map(({ thinking }) => thinking)
      .join(''),
    text: ofType('text')
      .map(({ text }) => text)
      .join(''),
    calls: ofType('tool_use').map(({ id, name, input }) => ({ id, name, input })),
    stop,
    stopSequence: message.stop_sequence,
    usage: { prompt: usage.input_tokens, cached: usage.cache_read_input_tokens, output: usage.output_tokens },
    turn: { role: 'assistant', content },
  };
}

const messagesFace: TestFace = {
  name: 'messages',
  path: '/messages',
  user: (...texts) => [{ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }],
  calls: (...calls) => [{ role: 'assistant', content: calls.map((call) => ({ type: 'tool_use', ...call })) }],
  results: (results, ...texts) => [
    {
      role: 'user',
      content: [
        ...results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text })),
        ...texts.map((text) => ({ type: 'text', text })),
      ],
    },
  ],
  system: (text) => [{ role: 'system', content: [{ type: 'text', text, cache_control: MARKER }] }],
  tool: (name, schema) => ({ name, input_schema: schema }),
  thinking: (budget_tokens) => ({ thinking: { type: 'enabled', budget_tokens } }),
  effort: (effort) => ({ output_config: { effort } }),
  whole: readMessageReply,
  streamed: (stream) => readMessageReply(buildMessage(readMessagesEvents(stream))),
  kinds: (stream) =>
    readMessagesEvents(stream)
      .filter(({ type }) => type === 'content_block_start')
      .map(({ index, content_block: block }) => `${index} ${block.type}`),
  error: (status, message) =>
    expect.objectContaining({
      type: 'error',
      error: expect.objectContaining({
        type: expect.stringMatching(/_error$/),
        code: status,
        message,
        error_type: expect.any(String),
      }),
    }),
};

function readChatReply({ message, finish_reason: stop }: JsonBody, usage: JsonBody): SeenReply {
  return {
    thinking: message.reasoning ?? '',
    text: message.content ?? '',
    calls: (message.tool_calls ?? []).map(({ id, function: called }: JsonBody) => ({
      id,
      name: called.name,
      input: JSON.parse(called.arguments),
    })),
    stop,
    stopSequence: null,
    usage: {
      prompt: usage.prompt_tokens,
      cached: usage.prompt_tokens_details.cached_tokens,
      output: usage.completion_tokens,
    },
    turn: message,
  };
}

const chatFace: TestFace = {
  name: 'chat',
  path: '/chat/completions',
  user: (...texts) => [{ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }],
  calls: (...calls) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    },
  ],
  results: (results, ...texts) => [
    ...results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
    ...(texts.length > 0 ? chatFace.user(...texts) : []),
  ],
  system: (text) => [{ role: 'system', content: [{ type: 'text', text, cache_control: MARKER }] }],
  tool: (name, schema) => ({ type: 'function', function: { name, parameters: schema } }),
  thinking: (max_tokens) => ({ reasoning: { max_tokens } }),
  effort: (effort) => ({ reasoning: { effort } }),
  whole: ({ choices: [choice], usage }) => readChatReply(choice, usage),
  streamed: (stream) => {
    const folded = joinChunks(readChunks(stream));
    return readChatReply(folded, folded.usage);
  },
  kinds: (stream) => {
    const kinds = readChunks(stream).flatMap(({ choices: [choice] }) => {
      const { reasoning, content, tool_calls: calls } = choice?.delta ?? {};
      return [reasoning && 'thinking', content && 'text', calls && 'tool_use'].filter(Boolean);
    });
    return kinds.filter((kind, index) => kind !== kinds[index - 1]).map((kind, index) => `${index} ${kind}`);
  },
  error: (status, message) => ({
    error: { code: status, message, metadata: expect.objectContaining({ error_type: expect.any(String) }) },
  }),
};

const inputText = (text: string): JsonBody => ({ type: 'input_text', text });

function readResponse({ output, status, incomplete_details: details, usage }: JsonBody): SeenReply {
  const ofType = (type: string): JsonBody[] => output.filter((item: JsonBody) => item.type === type);
  const textsIn = (parts: JsonBody[], key = 'text'): string => parts.map((part) => part[key] ?? '').join('');
  const parts: JsonBody[] = ofType('message').flatMap(({ content }) => content);
  return {
    thinking: textsIn(ofType('reasoning').flatMap(({ summary, content = [] }) => [...summary, ...content])),
    text: textsIn(parts),
    calls: ofType('function_call').map(({ call_id: id, name, arguments: json }) => ({ id, name, input: JSON.parse(json) })), // oxfmt-ignore
    stop: details ? `${status}: ${details.reason}` : status,
    stopSequence: null,
    usage: {
      prompt: usage.input_tokens,
      cached: usage.input_tokens_details.cached_tokens,
      output: usage.output_tokens,
    },
    turn: { items: output, refusal: textsIn(parts, 'refusal'), annotations: parts.flatMap((part) => part.annotations ?? []) }, // oxfmt-ignore
  };
}

const KINDS: Readonly<Record<string, string>> = { message: 'text', reasoning: 'thinking', function_call: 'tool_use' };

/** The responses face: each turn is a list of items, which `responsesBody` joins. */
export const responsesFace: TestFace<'responses'> = {
  name: 'responses',
  path: '/responses',
  user: (...texts) => [{ role: 'user', content: texts.map(inputText) }],
  calls: (...calls) => calls.map(({ id, name, input }) => ({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) })), // oxfmt-ignore
  results: (results, ...texts) => [
    ...results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
    ...(texts.length > 0 ? responsesFace.user(...texts) : []),
  ],
  system: (text) => [{ role: 'system', content: [inputText(text)] }],
  tool: (name, schema) => ({ type: 'function', name, parameters: schema }),
  thinking: (max_tokens) => ({ reasoning: { max_tokens } }),
  effort: (effort) => ({ reasoning: { effort } }),
  whole: readResponse,
  streamed: (stream) => readResponse(readResponseEvents(stream).at(-1).response),
  kinds: (stream) =>
    readResponseEvents(stream)
      .filter(({ type }) => type === 'response.output_item.added')
      .map(({ output_index: index, item }) => `${index} ${KINDS[item.type]}`),
  error: (status, message) => ({ error: expect.objectContaining({ code: status, message }) }),
};

/** A body with the fields of the other faces, in the words of this one. */
export const responsesBody = ({ messages, max_tokens: most, ...rest }: JsonBody): JsonBody => ({
  ...rest,
  include: ['reasoning.encrypted_content'],
  input: messages.flatMap((turn: JsonBody) => turn.items ?? turn),
  max_output_tokens: most,
});

export const FACES: readonly TestFace[] = [messagesFace, chatFace];
export const ALL_FACES: readonly AnyFace[] = [messagesFace, chatFace, responsesFace];

/** How a provider streams one call of a tool, piece by piece. */
export interface CallFrames {
  readonly begin: string;
  readonly piece: (text: string) => string;
  readonly end: string;
}

const chunk = (choice: object): string =>
  frame('', { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] });

export const CALL_FRAMES: Readonly<Record<UpstreamKind, CallFrames>> = {
  anthropic: {
    begin:
      frame('message_start', {
        type: 'message_start',
        message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 3 } },
      }) +
      frame('content_block_start', {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'call_0', name: 'get_weather', input: {} },
      }),
    piece: (partial_json) =>
      frame('content_block_delta', {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      }),
    end:
      frame('content_block_stop', { type: 'content_block_stop', index: 0 }) +
      frame('message_delta', {
        type: 'message_delta',
        delta: { stop_reason: 'max_tokens' },
        usage: { output_tokens: 5 },
      }) +
      frame('message_stop', { type: 'message_stop' }),
  },
  openai: {
    begin: chunk({
      delta: {
        role: 'assistant',
        tool_calls: [{ index: 0, id: 'call_0', type: 'function', function: { name: 'get_weather', arguments: '' } }],
      },
    }),
    piece: (text) => chunk({ delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } }),
    end: chunk({ delta: {}, finish_reason: 'length' }) + frame('', '[DONE]'),
  },
};
