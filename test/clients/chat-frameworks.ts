import { importNatively } from '../support/native-import.js';
import type { JsonBody } from '../support/recorded-request.js';
import { OPENAI_ERRORS, type ChatClient, type ChatClientKind, type ChatSight } from './chat-clients.js';

// Clients of the chat-completions format whose users write a language of the framework's own, not the wire's.

const callsOf = (calls: JsonBody[], name: string, input: string, id: string): ChatSight['calls'] =>
  calls.map((call) => ({ id: call[id], name: call[name], input: call[input] }));

/** The options of `generateText` and `streamText` for the contents of the body. */
function aiOptions({ tool, jsonSchema, Output }: JsonBody, body: JsonBody): object {
  const names = new Map<string, string>();
  return {
    maxRetries: 0,
    allowSystemInMessages: true,
    messages: body.messages.map((message: JsonBody) => aiMessage(message, names)),
    ...(body.temperature !== undefined && { temperature: body.temperature }),
    ...(body.tools && {
      // Without `execute`: calls are shown, not run.
      tools: Object.fromEntries(
        body.tools.map(({ function: { name, description, parameters } }: JsonBody) => [
          name,
          tool({ description, inputSchema: jsonSchema(parameters) }),
        ]),
      ),
    }),
    ...(body.response_format && {
      output: Output.object({ schema: jsonSchema(body.response_format.json_schema.schema) }),
    }),
  };
}

function aiMessage({ role, content, tool_calls: calls, tool_call_id: id }: JsonBody, names: Map<string, string>) {
  if (role === 'tool') {
    const result = { type: 'tool-result', toolCallId: id, toolName: names.get(id) };
    return { role, content: [{ ...result, output: { type: 'text', value: content } }] };
  }
  if (!calls) return { role, content };
  for (const { id: call, function: called } of calls) names.set(call, called.name);
  return {
    role,
    content: [
      { type: 'text', text: content },
      ...calls.map(({ id: toolCallId, function: { name, arguments: input } }: JsonBody) => ({
        type: 'tool-call',
        toolCallId,
        toolName: name,
        input: JSON.parse(input),
      })),
    ],
  };
}

function aiSight(outcome: JsonBody): ChatSight {
  return {
    text: outcome.text,
    reasoning: outcome.reasoningText ?? '',
    calls: callsOf(outcome.toolCalls, 'toolName', 'input', 'toolCallId'),
    // The framework's own name for each name of the wire.
    finish: outcome.finishReason.replace('-', '_'),
    usage: { input: outcome.usage.inputTokens, output: outcome.usage.outputTokens },
  };
}

export const openRouterAi: ChatClientKind = {
  name: 'ai with @openrouter/ai-sdk-provider',
  connect: async (origin, apiKey): Promise<ChatClient> => {
    const { createOpenRouter } = await importNatively<JsonBody>('@openrouter/ai-sdk-provider');
    const ai = await importNatively<JsonBody>('ai');
    const modelOf = createOpenRouter({ apiKey, baseURL: `${origin}/api/v1` });
    return {
      ask: async (body) => aiSight(await ai.generateText({ model: modelOf(body.model), ...aiOptions(ai, body) })),
      askStream: async (body) => {
        const options = { ...aiOptions(ai, body), onError: () => undefined };
        const result = ai.streamText({ model: modelOf(body.model), ...options });
        // An error mid-stream is a plain object, one before it the framework's own.
        for await (const part of result.fullStream)
          if (part.type === 'error') throw part.error.statusCode ? part.error : new Error(part.error.message);
        const [text, reasoningText, toolCalls, finishReason, usage] = await Promise.all([
          result.text,
          result.reasoningText,
          result.toolCalls,
          result.finishReason,
          result.usage,
        ]);
        return aiSight({ text, reasoningText, toolCalls, finishReason, usage });
      },
    };
  },
  errorName: () => 'APICallError',
  reportsReasoning: true,
};

function langchainSight(answer: JsonBody): ChatSight {
  const { content, tool_calls: calls, response_metadata: metadata, usage_metadata: usage } = answer;
  return {
    text: content,
    reasoning: '',
    calls: callsOf(calls, 'name', 'args', 'id'),
    finish: metadata.finish_reason,
    usage: { input: usage.input_tokens, output: usage.output_tokens },
  };
}

export const langchainOpenai: ChatClientKind = {
  name: '@langchain/openai',
  connect: async (origin, apiKey): Promise<ChatClient> => {
    const { ChatOpenAI } = await importNatively<JsonBody>('@langchain/openai');
    const modelFor = ({ model, tools, response_format, temperature }: JsonBody): JsonBody => {
      const configuration = { baseURL: `${origin}/api/v1` };
      const chat = new ChatOpenAI({ model, apiKey, configuration, temperature, maxRetries: 0, useResponsesApi: false });
      return chat.withConfig({ ...(tools && { tools }), ...(response_format && { response_format }) });
    };
    return {
      ask: async (body) => langchainSight(await modelFor(body).invoke(body.messages)),
      askStream: async (body) => {
        let answer: JsonBody;
        for await (const chunk of await modelFor(body).stream(body.messages))
          answer = answer ? answer.concat(chunk) : chunk;
        return langchainSight(answer);
      },
    };
  },
  errorName: (status) => OPENAI_ERRORS[status] ?? (status >= 500 ? 'InternalServerError' : 'APIError'),
  reportsReasoning: false,
};
