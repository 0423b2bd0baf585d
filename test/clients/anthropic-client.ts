import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import AnthropicV0, { APIError as APIErrorV0 } from '@anthropic-ai/sdk-v0';
import type { JsonBody } from '../support/recorded-request.js';
import type { AskOptions, Client, ClientKind, Fault, JsonSchema, Question, Sight } from './client.js';
import { messageBody, sightOfMessage, type MessageBody } from './messages-form.js';

/** What is used of the SDKs' `messages`, whatever their version, beta or not. */
interface Messages {
  create(
    body: MessageBody,
    options: { signal?: AbortSignal },
  ): { withResponse(): Promise<{ data: object; response: Response }> };
  stream(body: MessageBody, options: { signal?: AbortSignal }): MessageStream;
  parse(body: MessageBody): PromiseLike<{ parsed_output: unknown }>;
}

interface MessageStream {
  on(event: 'text', listener: () => void): unknown;
  finalMessage(): Promise<object>;
  withResponse(): Promise<{ response: Response }>;
}

class AnthropicClient implements Client {
  constructor(private readonly messages: Messages) {}

  async ask(question: Question, streamed: boolean, { signal, onText }: AskOptions = {}): Promise<Sight> {
    const body = messageBody(question);
    const options = signal ? { signal } : {};
    if (!streamed) {
      const { data, response } = await this.messages.create(body, options).withResponse();
      return sightOfMessage(data, response.headers.get('x-generation-id'), body.messages);
    }
    const stream = this.messages.stream(body, options);
    if (onText) stream.on('text', onText);
    const message = await stream.finalMessage();
    const { response } = await stream.withResponse();
    return sightOfMessage(message, response.headers.get('x-generation-id'), body.messages);
  }

  async askInShape(question: Question, schema: JsonSchema): Promise<unknown> {
    const format = jsonSchemaOutputFormat(schema);
    return (await this.messages.parse({ ...messageBody(question), output_config: { format } })).parsed_output;
  }

  faultOf(error: unknown): Fault {
    if (!(error instanceof APIError) && !(error instanceof APIErrorV0)) throw error;
    const body: JsonBody = error.error;
    return {
      errorName: error.constructor.name,
      status: error.status,
      type: body?.error?.type,
      message: body?.error?.message ?? error.message,
      retryAfter: error.headers?.get('retry-after') ?? null,
    };
  }
}

/** The newest version has a class for nearly every status, the older one for the main ones. */
const ERROR_NAMES_V0: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  429: 'RateLimitError',
};
const ERROR_NAMES_V1: Readonly<Record<number, string>> = {
  ...ERROR_NAMES_V0,
  413: 'ContentTooLargeError',
  503: 'ServiceUnavailableError',
  529: 'OverloadedError',
};

function anthropicKind(
  name: string,
  errorNames: Readonly<Record<number, string>>,
  messagesOf: (origin: string, key: string) => Messages,
): ClientKind {
  return {
    name,
    connect: (origin, key) => new AnthropicClient(messagesOf(origin, key)),
    errorName: (status) => errorNames[status] ?? (status >= 500 ? 'InternalServerError' : 'APIError'),
    inBandErrorName: 'APIError',
    requestsShapeByTool: false,
    readsPromptTokensOnce: false,
    abortName: 'APIUserAbortError',
  };
}

const settings = (origin: string, apiKey: string) => ({ baseURL: `${origin}/api`, apiKey, maxRetries: 0 });

/** `client.beta` of the older version calls `/v1/messages?beta=true`. */
export const anthropicSdks: readonly ClientKind[] = [
  anthropicKind('SDK 1', ERROR_NAMES_V1, (origin, key) => new Anthropic(settings(origin, key)).messages),
  anthropicKind('SDK 1 beta', ERROR_NAMES_V1, (origin, key) => new Anthropic(settings(origin, key)).beta.messages),
  anthropicKind('SDK 0', ERROR_NAMES_V0, (origin, key) => new AnthropicV0(settings(origin, key)).messages),
  anthropicKind('SDK 0 beta', ERROR_NAMES_V0, (origin, key) => new AnthropicV0(settings(origin, key)).beta.messages),
];
