import type { WireDialect } from '../doubles/double.js';
import type { JsonBody } from '../recorded-request.js';

/** Where a dialect's body contains the prompt, and how it names calls. */
interface PromptForm {
  /** Everything before the conversation. */
  front(body: JsonBody): JsonBody;
  history(body: JsonBody): JsonBody[];
  /** The tools' names, in order. */
  tools(body: JsonBody): string[];
  /** Ids of calls and results, in order; empty where the dialect matches them by position. */
  ids(body: JsonBody): { readonly calls: string[]; readonly results: string[] };
}

const partsOf = (turns: JsonBody[], key: 'content' | 'parts'): JsonBody[] =>
  turns.flatMap((turn) => (Array.isArray(turn[key]) ? turn[key] : []));
const idsOf = (values: readonly JsonBody[]): string[] => values.filter((id) => typeof id === 'string');

const chatForm: PromptForm = {
  front: ({ tools }) => tools,
  history: ({ messages }) => messages,
  tools: ({ tools = [] }) => tools.map(({ function: called }: JsonBody) => called.name),
  ids: ({ messages }) => ({
    calls: messages.flatMap(({ tool_calls: calls = [] }: JsonBody) => calls.map(({ id }: JsonBody) => id)),
    results: idsOf(messages.map(({ tool_call_id: id }: JsonBody) => id)),
  }),
};

const FORMS: Readonly<Record<WireDialect, PromptForm>> = {
  'anthropic-messages': {
    front: ({ tools, system }) => [tools, system],
    history: ({ messages }) => messages,
    tools: ({ tools = [] }) => tools.map(({ name }: JsonBody) => name),
    ids: ({ messages }) => ({
      calls: idsOf(partsOf(messages, 'content').map(({ type, id }) => (type === 'tool_use' ? id : null))),
      results: idsOf(partsOf(messages, 'content').map(({ tool_use_id: id }) => id)),
    }),
  },
  'bedrock-converse': {
    front: ({ toolConfig, system }) => [toolConfig, system],
    history: ({ messages }) => messages,
    tools: ({ toolConfig }) =>
      (toolConfig?.tools ?? []).flatMap(({ toolSpec }: JsonBody) => (toolSpec ? [toolSpec.name] : [])),
    ids: ({ messages }) => ({
      calls: idsOf(partsOf(messages, 'content').map(({ toolUse }) => toolUse?.toolUseId)),
      results: idsOf(partsOf(messages, 'content').map(({ toolResult }) => toolResult?.toolUseId)),
    }),
  },
  'google-gemini': {
    front: ({ tools, systemInstruction }) => [tools, systemInstruction],
    history: ({ contents }) => contents,
    tools: ({ tools = [] }) =>
      tools.flatMap(({ functionDeclarations = [] }: JsonBody) =>
        functionDeclarations.map(({ name }: JsonBody) => name),
      ),
    ids: ({ contents }) => ({
      calls: idsOf(partsOf(contents, 'parts').map(({ functionCall }) => functionCall?.id)),
      results: idsOf(partsOf(contents, 'parts').map(({ functionResponse }) => functionResponse?.id)),
    }),
  },
  'openai-chat': chatForm,
  'cohere-chat': chatForm,
  'openai-responses': {
    front: ({ tools }) => tools,
    history: ({ input }) => input,
    tools: ({ tools = [] }) => tools.map(({ name }: JsonBody) => name),
    ids: ({ input }) => ({
      calls: idsOf(input.map(({ type, call_id: id }: JsonBody) => (type === 'function_call' ? id : null))),
      results: idsOf(input.map(({ type, call_id: id }: JsonBody) => (type === 'function_call_output' ? id : null))),
    }),
  },
};

/**
 * The prompt as bytes: those of a conversation begin with those of any shorter part of it. Without the end of the
 * conversation, because where turns of one side must be merged the last of them may grow.
 */
export const promptBytes = (dialect: WireDialect, body: JsonBody): string =>
  JSON.stringify([FORMS[dialect].front(body), FORMS[dialect].history(body)]).replace(/[\]}]*$/, '');

export const toolNamesIn = (dialect: WireDialect, body: JsonBody): string[] => FORMS[dialect].tools(body);

export const callIdsIn = (dialect: WireDialect, body: JsonBody): ReturnType<PromptForm['ids']> =>
  FORMS[dialect].ids(body);
