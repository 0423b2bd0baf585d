import { anthropicError, anthropicFrames, anthropicReply } from '../support/anthropic-upstream.js';
import { signatureOf } from '../support/doubles/double.js';
import { openaiError, openaiFrames, openaiReply } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { CUT, HANG, frame, json, sse, type Script } from '../support/upstream-answers.js';
import type { UpstreamKind } from '../support/upstreams.js';
import type { JsonSchema, TokenCounts } from './client.js';

/** The answer of a provider, in any format. */
export interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  /** Ids are the provider's own. */
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage?: TokenCounts;
}

/** The faulty end of a stream that has begun. `silent` never ends. */
export type Ending = 'error' | 'cut' | 'silent';

/** One kind of provider: the form of its answers, and where it finds the contents of a request. */
export interface Provider {
  readonly kind: UpstreamKind;
  readonly dialect: 'anthropic-messages' | 'openai-chat';
  /** The signature of visible thinking; empty where the provider does not sign. */
  signature(thinking: string): string;
  /** Whether its usage reports the tokens written to the cache. */
  readonly reportsCacheWrites: boolean;
  /** Whether a stream reports the tokens of the prompt before its first content. */
  readonly reportsPromptTokensFirst: boolean;
  answers(reply: Reply): Script;
  /** Some text, and then the ending. */
  breaksOff(text: string, ending: Ending): Script;
  error(type: string, message: string): object;
  /** Contents of the request that must arrive unchanged: tool results, files, signatures. */
  received(body: JsonBody): string[];
  /** The schema that the answer must fit, when the request has one. */
  wantedShape(body: JsonBody): JsonSchema | undefined;
  /** The first tool of the request. */
  firstTool(body: JsonBody): { readonly name: string; readonly schema: JsonSchema };
}

export const OVERLOADED_MESSAGE = 'Too many callers at the moment';

const anthropic: Provider = {
  kind: 'anthropic',
  dialect: 'anthropic-messages',
  signature: (thinking) => signatureOf('anthropic', thinking),
  reportsCacheWrites: true,
  reportsPromptTokensFirst: true,
  answers: ({ thinking, text, calls = [], usage }) =>
    anthropicReply(
      [
        ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: anthropic.signature(thinking) }]),
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...calls.map(({ name, input }, index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input })),
      ],
      {
        stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
        ...(usage && {
          usage: {
            input_tokens: usage.input,
            output_tokens: usage.output,
            cache_read_input_tokens: usage.cacheRead,
            cache_creation_input_tokens: usage.cacheWrite,
          },
        }),
      },
    ),
  breaksOff: (text, ending) => () => {
    const frames = anthropicFrames({
      id: 'msg_loopback',
      type: 'message',
      role: 'assistant',
      model: 'claude-loopback',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 12, output_tokens: 7 },
    });
    // Without the block's end, `message_delta` and `message_stop`.
    const begun = frames.slice(0, -3);
    if (ending === 'cut') return sse([...begun, CUT]);
    if (ending === 'silent') return sse([...begun, HANG]);
    return sse([...begun, frame('error', anthropic.error('overloaded_error', OVERLOADED_MESSAGE))]);
  },
  error: anthropicError,
  received: (body) => blocksOf(body).flatMap(textsOfBlock),
  wantedShape: (body) => body.output_config?.format.schema,
  firstTool: ({ tools: [{ name, input_schema: schema }] }) => ({ name, schema }),
};

const openai: Provider = {
  kind: 'openai',
  dialect: 'openai-chat',
  signature: () => '',
  reportsCacheWrites: false,
  reportsPromptTokensFirst: false,
  answers: ({ thinking, text, calls, usage }) =>
    openaiReply({
      ...(thinking !== undefined && { reasoning: thinking }),
      ...(text !== undefined && { text }),
      ...(calls && { tools: calls.map(({ name, input }) => ({ name, arguments: JSON.stringify(input) })) }),
      ...(usage && {
        usage: {
          prompt_tokens: usage.input + usage.cacheRead,
          completion_tokens: usage.output,
          total_tokens: usage.input + usage.cacheRead + usage.output,
          prompt_tokens_details: { cached_tokens: usage.cacheRead },
        },
      }),
    }),
  breaksOff: (text, ending) => () => {
    // Without the finish reason and the sentinel.
    const begun = openaiFrames({ text }, 'gpt-loopback', false).slice(0, -2);
    if (ending === 'cut') return sse([...begun, CUT]);
    if (ending === 'silent') return sse([...begun, HANG]);
    return sse([...begun, frame('', openai.error('overloaded_error', OVERLOADED_MESSAGE))]);
  },
  error: (type, message) => openaiError(message, type),
  received: (body) => body.messages.flatMap(textsOfChatMessage),
  wantedShape: (body) => body.response_format?.json_schema.schema,
  firstTool: ({ tools: [{ function: called }] }) => ({ name: called.name, schema: called.parameters }),
};

export const PROVIDERS: readonly Provider[] = [anthropic, openai];

/** Answers each request with the texts that it received, joined by line feeds. */
export const echoes =
  (provider: Provider): Script =>
  (request, index) =>
    provider.answers({ text: provider.received(request.json).join('\n') })(request, index);

/** Answers with an error of the provider's, before any event. */
export const refuses =
  (provider: Provider, status: number, type: string, message: string, headers: Record<string, string> = {}): Script =>
  () =>
    json(provider.error(type, message), status, headers);

/**
 * Answers with an object of the shape that is wanted, in JSON where the request has a schema for that, else in a call.
 */
export const answersInShape =
  (provider: Provider, values: Readonly<Record<string, unknown>>): Script =>
  (request, index) => {
    const shaped = ({ properties }: JsonSchema): object =>
      Object.fromEntries(Object.keys(properties).map((key) => [key, values[key]]));
    const shape = provider.wantedShape(request.json);
    if (shape) return provider.answers({ text: JSON.stringify(shaped(shape)) })(request, index);
    const { name, schema } = provider.firstTool(request.json);
    return provider.answers({ calls: [{ name, input: shaped(schema) }] })(request, index);
  };

const blocksOf = (body: JsonBody): JsonBody[] =>
  body.messages.flatMap(({ content }: JsonBody) => (typeof content === 'string' ? [] : content));

function textsOfBlock(block: JsonBody): string[] {
  switch (block.type) {
    case 'tool_result':
      return typeof block.content === 'string' ? [block.content] : block.content.map(({ text }: JsonBody) => text);
    case 'image':
    case 'document':
      return [`${block.source.media_type} ${block.source.data}`];
    case 'thinking':
      return [`${block.thinking} ${block.signature}`];
    default:
      return [];
  }
}

function textsOfChatMessage({ role, content, reasoning_content: reasoning }: JsonBody): string[] {
  if (role === 'tool') return [content];
  if (reasoning !== undefined) return [reasoning];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: JsonBody) => {
    const url: string | undefined = part.image_url?.url ?? part.file?.file_data;
    const parts = url === undefined ? null : /^data:(.+);base64,(.+)$/.exec(url);
    return parts ? [`${parts[1]} ${parts[2]}`] : [];
  });
}
