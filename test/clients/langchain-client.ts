import { importNatively } from '../support/native-import.js';
import type { JsonBody } from '../support/recorded-request.js';
import type { AskOptions, Client, ClientKind, Fault, History, JsonSchema, Part, Question, Sight } from './client.js';

const TOKENS_MAX = 4_000;

class LangchainClient implements Client {
  constructor(
    private readonly baseURL: string,
    private readonly apiKey: string,
  ) {}

  async ask(question: Question, streamed: boolean, { signal, onText }: AskOptions = {}): Promise<Sight> {
    let generationId: string | null = null;
    const chat = await this.chatFor(question, (response) => (generationId = response.headers.get('x-generation-id')));
    const history = await turnsOf(question);
    const options = signal ? { signal } : {};
    let answer: JsonBody;
    if (streamed) {
      for await (const chunk of await chat.stream(history, options)) {
        if (chunk.text !== '') onText?.();
        answer = answer ? answer.concat(chunk) : chunk;
      }
    } else {
      answer = await chat.invoke(history, options);
    }
    return sightOf(answer, generationId, history);
  }

  async askInShape(question: Question, schema: JsonSchema): Promise<unknown> {
    const chat = await this.chatFor(question);
    // Users choose the method; here the models that the AI SDK takes for newer ones are called in the newer form.
    const method = question.model.includes('claude-') ? 'jsonSchema' : 'functionCalling';
    return chat.withStructuredOutput(schema, { name: 'answer', method }).invoke(await turnsOf(question));
  }

  faultOf(error: unknown): Fault {
    const { constructor, error: body, status, headers }: JsonBody = error;
    if (body?.error === undefined) throw error;
    return {
      errorName: constructor.name,
      status,
      type: body.error.type,
      message: body.error.message,
      retryAfter: headers?.get('retry-after') ?? null,
    };
  }

  /** One for each question, because model and settings belong to it. */
  private async chatFor(question: Question, onResponse?: (response: Response) => void): Promise<JsonBody> {
    const { model, tools, thinkingBudget } = question;
    const { ChatAnthropic } = await importNatively<JsonBody>('@langchain/anthropic');
    const chat = new ChatAnthropic({
      model,
      apiKey: this.apiKey,
      anthropicApiUrl: this.baseURL,
      maxTokens: TOKENS_MAX,
      maxRetries: 0,
      ...(thinkingBudget !== undefined && { thinking: { type: 'enabled', budget_tokens: thinkingBudget } }),
      // It does not show the headers of replies.
      clientOptions: {
        fetch: async (input: string, init: RequestInit) => {
          const response = await fetch(input, init);
          onResponse?.(response);
          return response;
        },
      },
    });
    return tools ? chat.bindTools(tools.map(({ name, schema }) => ({ name, input_schema: schema }))) : chat;
  }
}

async function turnsOf({ system, history = [], turn }: Question): Promise<unknown[]> {
  const { HumanMessage, SystemMessage, ToolMessage } = await importNatively<JsonBody>('@langchain/core/messages');
  const turns = system === undefined ? [...history] : [new SystemMessage(system), ...history];
  if (typeof turn === 'string') return [...turns, new HumanMessage(turn)];
  if (!('results' in turn)) return [...turns, new HumanMessage({ content: turn.map(partOf) })];
  return [
    ...turns,
    ...turn.results.map(({ id, name, text }) => new ToolMessage({ tool_call_id: id, name, content: text })),
  ];
}

function partOf(part: Part): object {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image_url', image_url: `data:${part.mediaType};base64,${part.base64}` };
    case 'pdf':
      return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: part.base64 } };
  }
}

function sightOf(answer: JsonBody, generationId: string | null, history: History): Sight {
  const { additional_kwargs: metadata, tool_calls: calls, usage_metadata: usage } = answer;
  const blocks: JsonBody[] = typeof answer.content === 'string' ? [] : answer.content;
  const { cache_creation: cacheWrite = 0, cache_read: cacheRead = 0 } = usage.input_token_details ?? {};
  return {
    id: answer.id,
    generationId,
    model: metadata.model,
    text: answer.text,
    thinking: blocks
      .filter(({ type }) => type === 'thinking')
      .map(({ thinking, signature }) => ({ text: thinking, signature: signature ?? '' })),
    calls: calls.map(({ id, name, args }: JsonBody) => ({ id, name, input: args })),
    stopReason: metadata.stop_reason,
    usage: { input: usage.input_tokens - cacheRead - cacheWrite, output: usage.output_tokens, cacheRead, cacheWrite },
    history: [...history, answer],
  };
}

/** LangChain calls through the vendor's own SDK, and throws that SDK's errors. */
const ERROR_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  429: 'RateLimitError',
};

export const langchain: ClientKind = {
  name: 'LangChain',
  connect: (origin, key) => new LangchainClient(`${origin}/api`, key),
  errorName: (status) => ERROR_NAMES[status] ?? (status >= 500 ? 'InternalServerError' : 'APIError'),
  inBandErrorName: 'APIError',
  requestsShapeByTool: true,
  readsPromptTokensOnce: true,
  abortName: 'AbortError',
};
