import type { OpenRouter } from '@openrouter/sdk';
import OpenAI from 'openai';
import type { OpenRouter as OpenRouterV0 } from 'openrouter-sdk-0';
import { importNatively } from '../support/native-import.js';
import type { JsonBody } from '../support/recorded-request.js';

// Unmodified clients of the chat-completions format, with what their users see in the words of none of them.

/** An answer as the client's user sees it. */
export interface ChatSight {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly finish: string;
  readonly usage: { readonly input: number; readonly output: number };
}

export interface ChatClient {
  /** @param body in the wire format */
  ask(body: JsonBody): Promise<ChatSight>;
  askStream(body: JsonBody): Promise<ChatSight>;
}

export interface ChatClientKind {
  readonly name: string;
  connect(origin: string, key: string): Promise<ChatClient>;
  /** The class of its error for a status. */
  errorName(status: number): string;
  /** Whether its users see the reasoning of the reply. */
  readonly reportsReasoning: boolean;
}

const callOf = ({ id, function: called }: JsonBody) => ({
  id,
  name: called.name,
  input: JSON.parse(called.arguments),
});

/** The error classes of `openai`, and of the clients built on it. */
export const OPENAI_ERRORS: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  422: 'UnprocessableEntityError',
  429: 'RateLimitError',
};

export const openai: ChatClientKind = {
  name: 'openai',
  connect: (origin, apiKey) => {
    const client = new OpenAI({ apiKey, baseURL: `${origin}/api/v1`, maxRetries: 0 });
    const sight = ({ choices: [choice], usage }: JsonBody): ChatSight => ({
      text: choice.message.content ?? '',
      reasoning: choice.message.reasoning ?? '',
      calls: (choice.message.tool_calls ?? []).map(callOf),
      finish: choice.finish_reason,
      usage: { input: usage.prompt_tokens, output: usage.completion_tokens },
    });
    return Promise.resolve({
      ask: async (body) => sight(await client.chat.completions.create(body)),
      askStream: async (body) => {
        let reasoning = '';
        const stream = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
        stream.on('chunk', (chunk: JsonBody) => (reasoning += chunk.choices[0]?.delta.reasoning ?? ''));
        return { ...sight(await stream.finalChatCompletion()), reasoning };
      },
    });
  },
  errorName: (status) => OPENAI_ERRORS[status] ?? (status >= 500 ? 'InternalServerError' : 'APIError'),
  reportsReasoning: true,
};

/** Methods that both majors of the SDK have. */
interface Chat {
  send(request: JsonBody): Promise<JsonBody>;
}

const OPENROUTER_ERRORS: Readonly<Record<number, string>> = {
  400: 'BadRequestResponseError',
  401: 'UnauthorizedResponseError',
  402: 'PaymentRequiredResponseError',
  403: 'ForbiddenResponseError',
  404: 'NotFoundResponseError',
  408: 'RequestTimeoutResponseError',
  413: 'PayloadTooLargeResponseError',
  422: 'UnprocessableEntityResponseError',
  429: 'TooManyRequestsResponseError',
  500: 'InternalServerResponseError',
  502: 'BadGatewayResponseError',
  503: 'ServiceUnavailableResponseError',
  529: 'ProviderOverloadedResponseError',
};

const camel = (key: string): string => key.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** The SDK's users write camel case; schemas and texts are the users' own. */
function camelized(value: JsonBody): JsonBody {
  if (Array.isArray(value)) return value.map(camelized);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      camel(key),
      key === 'parameters' || key === 'schema' ? member : camelized(member),
    ]),
  );
}

function openRouterClient(chat: Chat): ChatClient {
  const sight = (message: JsonBody, finish: string, usage: JsonBody): ChatSight => ({
    text: message.content ?? '',
    reasoning: message.reasoning ?? '',
    calls: (message.toolCalls ?? []).map(callOf),
    finish,
    usage: { input: usage.promptTokens, output: usage.completionTokens },
  });
  return {
    ask: async (body) => {
      const { choices: [choice], usage } = await chat.send({ chatRequest: camelized(body) }); // oxfmt-ignore
      return sight(choice.message, choice.finishReason, usage);
    },
    askStream: async (body) => {
      const message: JsonBody = { content: '', reasoning: '', toolCalls: [] };
      let finish = '';
      let usage: JsonBody;
      for await (const chunk of await chat.send({ chatRequest: { ...camelized(body), stream: true } })) {
        if (chunk.error) throw new Error(`${chunk.error.code}: ${chunk.error.message}`);
        usage = chunk.usage ?? usage;
        const [choice] = chunk.choices;
        message.content += choice?.delta.content ?? '';
        message.reasoning += choice?.delta.reasoning ?? '';
        for (const { index, id, function: called } of choice?.delta.toolCalls ?? []) {
          const call = (message.toolCalls[index] ??= { id, function: { name: called.name, arguments: '' } });
          call.function.arguments += called.arguments ?? '';
        }
        finish = choice?.finishReason ?? finish;
      }
      return sight(message, finish, usage);
    },
  };
}

const settings = (origin: string, apiKey: string) => ({
  apiKey,
  serverURL: `${origin}/api/v1`,
  retryConfig: { strategy: 'none' as const },
});

const openRouter = (name: string, load: (origin: string, key: string) => Promise<Chat>): ChatClientKind => ({
  name,
  connect: async (origin, key) => openRouterClient(await load(origin, key)),
  errorName: (status) => OPENROUTER_ERRORS[status] ?? 'OpenRouterDefaultError',
  reportsReasoning: true,
});

export const openRouterNewest = openRouter('@openrouter/sdk 1.x', async (origin, key) => {
  const module = await importNatively<{ OpenRouter: typeof OpenRouter }>('@openrouter/sdk');
  return new module.OpenRouter(settings(origin, key)).chat;
});

export const openRouterOldest = openRouter('@openrouter/sdk 0.13', async (origin, key) => {
  const module = await importNatively<{ OpenRouter: typeof OpenRouterV0 }>('openrouter-sdk-0');
  return new module.OpenRouter(settings(origin, key)).chat;
});
