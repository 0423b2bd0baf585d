import { createAnthropic } from '@ai-sdk/anthropic';
import {
  APICallError,
  generateText,
  jsonSchema,
  Output,
  streamText,
  tool,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from 'ai';
import type { JsonBody } from '../support/recorded-request.js';
import type { AskOptions, Client, ClientKind, Fault, History, JsonSchema, Part, Question, Sight } from './client.js';

const TOKENS_MAX = 4_000;

// It warns that it omits unsigned thinking, which the tests expect.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** The common part of a whole answer and a finished stream. */
interface Outcome {
  readonly response: {
    readonly id: string;
    readonly modelId: string;
    readonly headers?: Record<string, string>;
    readonly messages: readonly unknown[];
  };
  readonly text: string;
  readonly reasoning: readonly { readonly text: string; readonly providerMetadata?: JsonBody }[];
  readonly toolCalls: readonly { readonly toolCallId: string; readonly toolName: string; readonly input: unknown }[];
  readonly rawFinishReason: string | undefined;
  readonly usage: {
    readonly inputTokenDetails: Readonly<
      Record<'noCacheTokens' | 'cacheReadTokens' | 'cacheWriteTokens', number | undefined>
    >;
    readonly outputTokens: number | undefined;
  };
}

class AiClient implements Client {
  constructor(private readonly model: (id: string) => LanguageModel) {}

  async ask(question: Question, streamed: boolean, { signal, onText }: AskOptions = {}): Promise<Sight> {
    const options = { ...this.optionsOf(question), ...(signal && { abortSignal: signal }) };
    if (!streamed) return sightOf(await generateText(options), options.messages);
    // Errors are thrown here, not logged.
    const result = streamText({ ...options, onError: () => undefined });
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') onText?.();
      if (part.type === 'error') throw part.error;
      if (part.type === 'abort') throw new DOMException('The user left.', 'AbortError');
    }
    return sightOf(
      {
        response: await result.response,
        text: await result.text,
        reasoning: await result.reasoning,
        toolCalls: await result.toolCalls,
        rawFinishReason: await result.rawFinishReason,
        usage: await result.usage,
      },
      options.messages,
    );
  }

  async askInShape(question: Question, schema: JsonSchema): Promise<unknown> {
    const output = Output.object({ schema: jsonSchema(schema) });
    return (await generateText({ ...this.optionsOf(question), output })).output;
  }

  faultOf(error: unknown): Fault {
    if (APICallError.isInstance(error)) {
      return {
        errorName: error.name,
        status: error.statusCode,
        type: (error.data as JsonBody)?.error.type,
        message: error.message,
        retryAfter: error.responseHeaders?.['retry-after'] ?? null,
      };
    }
    const event: JsonBody = error;
    if (error instanceof Error || typeof event?.type !== 'string') throw error;
    return { errorName: 'error part', status: undefined, type: event.type, message: event.message, retryAfter: null };
  }

  private optionsOf(question: Question) {
    const { model, system, tools, thinkingBudget, history = [] } = question;
    return {
      model: this.model(model),
      maxRetries: 0,
      maxOutputTokens: TOKENS_MAX,
      messages: [...(history as readonly ModelMessage[]), turnOf(question.turn)],
      ...(system !== undefined && { system }),
      ...(tools && { tools: toolsOf(tools) }),
      ...(thinkingBudget !== undefined && {
        providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: thinkingBudget } } },
      }),
    };
  }
}

/** Without `execute`: calls are shown, not run. */
function toolsOf(tools: NonNullable<Question['tools']>): ToolSet {
  return Object.fromEntries(tools.map(({ name, schema }) => [name, tool({ inputSchema: jsonSchema(schema) })]));
}

function turnOf(turn: Question['turn']): ModelMessage {
  if (typeof turn === 'string') return { role: 'user', content: turn };
  if (!('results' in turn)) return { role: 'user', content: turn.map(partOf) };
  return {
    role: 'tool',
    content: turn.results.map(({ id, name, text }) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: name,
      output: { type: 'text', value: text },
    })),
  };
}

function partOf(part: Part) {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text } as const;
    case 'image':
      return { type: 'image', image: part.base64, mediaType: part.mediaType } as const;
    case 'pdf':
      return { type: 'file', data: part.base64, mediaType: 'application/pdf' } as const;
  }
}

function sightOf(outcome: Outcome, history: History): Sight {
  const { response, usage } = outcome;
  const { noCacheTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage.inputTokenDetails;
  return {
    id: response.id,
    generationId: response.headers?.['x-generation-id'] ?? null,
    model: response.modelId,
    text: outcome.text,
    thinking: outcome.reasoning.map(({ text, providerMetadata }) => ({
      text,
      signature: providerMetadata?.anthropic?.signature ?? '',
    })),
    calls: outcome.toolCalls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, input })),
    stopReason: outcome.rawFinishReason ?? '',
    usage: {
      input: noCacheTokens,
      output: usage.outputTokens ?? 0,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
    },
    history: [...history, ...response.messages],
  };
}

export const aiSdk: ClientKind = {
  name: 'AI SDK',
  connect: (origin, key) => new AiClient(createAnthropic({ baseURL: `${origin}/api/v1`, apiKey: key })),
  errorName: () => 'AI_APICallError',
  inBandErrorName: 'error part',
  requestsShapeByTool: true,
  readsPromptTokensOnce: false,
  abortName: 'AbortError',
};
