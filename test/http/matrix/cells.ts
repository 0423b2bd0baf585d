import {
  DOUBLE_USAGE,
  seal,
  signatureOf,
  stopOf,
  type DoubleCitation,
  type DoubleFailureKind,
  type DoubleReply,
  type WireDialect,
} from '../../support/doubles/double.js';
import type { JsonBody } from '../../support/recorded-request.js';
import type { FaceName, SeenReply } from '../translation-bench.js';
import type { Pair } from './bench.js';
import { FAMILIES, type FamilyId } from './serving-matrix.js';
import {
  BUDGET,
  FORM,
  IMAGE,
  MAP_URL,
  MAX_TOKENS,
  PDF,
  PLAN,
  QUESTION,
  REPORT_URL,
  STOP_SEQUENCE,
  SYSTEM,
  THOUGHT,
  TIME,
  WEATHER,
  schemaOf,
  type CaseId,
} from './cases.js';

/** The reply that a caller received in one turn. */
export type CallerReply = Omit<SeenReply, 'turn'> & { readonly citations: readonly JsonBody[] };

/** Where the caller's reply differs from the double's. */
export type Otherwise = (reply: DoubleReply, face: FaceName, pair: Pair) => Partial<CallerReply>;

/** Carried: a part of the body that the vendor must get, at the last turn. */
interface Carried {
  readonly sent: (pair: Pair, face: FaceName) => JsonBody;
  readonly otherwise?: Otherwise;
}

/** Not carried, and why; the answer comes all the same. */
interface NotApplicable {
  readonly notApplicable: string;
  /** What the vendor is not sent. */
  readonly dropped?: readonly string[];
  readonly otherwise?: Otherwise;
}

/** No target of this dialect can carry it: it is refused by name before anybody is called. */
interface Refused {
  readonly refused: RegExp;
}

export type Cell = Carried | NotApplicable | Refused;

const CACHE_MARKER = { type: 'ephemeral' };
const DATA_IMAGE = `data:image/png;base64,${IMAGE}`;
const DATA_PDF = `data:application/pdf;base64,${PDF}`;
const has = (...parts: readonly JsonBody[]): JsonBody => parts.map((part) => expect.objectContaining(part));
const fineOf = ({ name }: typeof WEATHER | typeof TIME): string => `${name}: fine`;

/** Google takes `additionalProperties` with a schema alone, and Nova not at the top of one. */
const reduced = ({ additionalProperties: _closed, ...schema }: JsonBody): JsonBody => schema;
const same = (schema: JsonBody): JsonBody => schema;

/** Where a limit is sent, by dialect; chat completions of OpenAI's own models have the newer name. */
const limitOf = ({ provider }: Pair): JsonBody =>
  provider === 'openai' || provider === 'azure' ? { max_completion_tokens: MAX_TOKENS } : { max_tokens: MAX_TOKENS };

const question: Readonly<Record<WireDialect, (pair: Pair) => JsonBody>> = {
  'anthropic-messages': () => ({
    max_tokens: MAX_TOKENS,
    messages: [{ role: 'user', content: [{ type: 'text', text: QUESTION }] }],
  }),
  'bedrock-converse': () => ({
    inferenceConfig: { maxTokens: MAX_TOKENS },
    messages: [{ role: 'user', content: [{ text: QUESTION }] }],
  }),
  'cohere-chat': () => ({ max_tokens: MAX_TOKENS, messages: [{ role: 'user', content: QUESTION }] }),
  'google-gemini': () => ({
    generationConfig: { maxOutputTokens: MAX_TOKENS },
    contents: [{ role: 'user', parts: [{ text: QUESTION }] }],
  }),
  'openai-chat': (pair) => ({ ...limitOf(pair), messages: [{ role: 'user', content: QUESTION }] }),
  'openai-responses': () => ({
    max_output_tokens: MAX_TOKENS,
    store: false,
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: QUESTION }] }],
  }),
};

const cellsOf = (dialect: WireDialect, otherwise?: Otherwise): Cell => ({
  sent: question[dialect],
  ...(otherwise && { otherwise }),
});

/** A dialect's own word for a stop is the same for all of its platforms. */
const everywhere = (otherwise: Partial<Record<WireDialect, Otherwise>> = {}): Readonly<Record<FamilyId, Cell>> =>
  Object.fromEntries(
    Object.entries(FAMILIES).map(([family, dialect]) => [family, cellsOf(dialect, otherwise[dialect])]),
  ) as Record<FamilyId, Cell>;

/** What is true of a family: a cell, or the name of the family of which another one's holds as well. */
type Row = Readonly<Record<FamilyId, Cell | FamilyId>>;

/** The vendor does not report that a sequence was met. */
const withoutSequence: Otherwise = (_reply, face) => ({
  stop: STOPS[face].end,
  stopSequence: null,
});

const ROWS: Readonly<Record<CaseId, Row>> = {
  text: {
    'anthropic-messages': {
      sent: (pair, face) => ({
        ...question['anthropic-messages'](pair),
        system: face === 'messages' ? [{ type: 'text', text: SYSTEM }] : SYSTEM,
      }),
    },
    'bedrock-converse': {
      sent: (pair) => ({ ...question['bedrock-converse'](pair), system: [{ text: SYSTEM }] }),
    },
    'cohere-chat': {
      sent: () => ({
        messages: [
          { role: 'system', content: SYSTEM },
          { role: 'user', content: QUESTION },
        ],
      }),
    },
    'google-gemini': {
      sent: (pair) => ({ ...question['google-gemini'](pair), systemInstruction: { parts: [{ text: SYSTEM }] } }),
    },
    'openai-chat': {
      sent: () => ({
        messages: [
          { role: 'system', content: SYSTEM },
          { role: 'user', content: QUESTION },
        ],
      }),
    },
    'openai-responses': {
      sent: () => ({ input: [{ role: 'system', content: [{ type: 'input_text', text: SYSTEM }] }, { role: 'user' }] }),
    },
    'bedrock-converse of Nova': 'bedrock-converse',
    'bedrock-converse of Llama': 'bedrock-converse',
    'google-gemini 2.5': 'google-gemini',
  },
  'parallel tools': {
    'anthropic-messages': {
      sent: () => ({
        tools: has({ name: WEATHER.name, input_schema: schemaOf(WEATHER.name) }, { name: TIME.name }),
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: PLAN },
              { type: 'tool_use', ...WEATHER },
              { type: 'tool_use', ...TIME },
            ],
          },
          {
            role: 'user',
            content: [
              ...has(
                { type: 'tool_result', tool_use_id: WEATHER.id, content: expect.anything() },
                { type: 'tool_result', tool_use_id: TIME.id, content: expect.anything() },
              ),
              { type: 'text', text: 'And now?' },
            ],
          },
        ],
      }),
    },
    'bedrock-converse': {
      sent: ({ model }) => ({
        toolConfig: {
          tools: [
            {
              toolSpec: {
                name: WEATHER.name,
                inputSchema: { json: (model.includes('nova') ? reduced : same)(schemaOf(WEATHER.name)) },
              },
            },
            { toolSpec: { name: TIME.name } },
          ],
        },
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            content: [
              { text: PLAN },
              ...[WEATHER, TIME].map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
            ],
          },
          {
            role: 'user',
            content: [
              ...[WEATHER, TIME].map((one) => ({
                toolResult: { toolUseId: one.id, content: [{ text: fineOf(one) }] },
              })),
              { text: 'And now?' },
            ],
          },
        ],
      }),
    },
    'cohere-chat': {
      sent: () => ({
        tools: [
          { type: 'function', function: { name: WEATHER.name, parameters: schemaOf(WEATHER.name) } },
          { function: { name: TIME.name } },
        ],
        messages: [
          { role: 'user' },
          { role: 'assistant', tool_plan: PLAN, tool_calls: [{ id: WEATHER.id }, { id: TIME.id }] },
          { role: 'tool', tool_call_id: WEATHER.id, content: fineOf(WEATHER) },
          { role: 'tool', tool_call_id: TIME.id, content: fineOf(TIME) },
          { role: 'user', content: 'And now?' },
        ],
      }),
    },
    'google-gemini': {
      sent: () => ({
        tools: [
          {
            functionDeclarations: [
              { name: WEATHER.name, parametersJsonSchema: reduced(schemaOf(WEATHER.name)) },
              { name: TIME.name },
            ],
          },
        ],
        contents: [
          { role: 'user' },
          {
            role: 'model',
            parts: [
              { text: PLAN },
              {
                functionCall: { name: WEATHER.name, args: WEATHER.input },
                thoughtSignature: signatureOf('google', `${WEATHER.name} ${JSON.stringify(WEATHER.input)}`),
              },
              { functionCall: { name: TIME.name, args: TIME.input } },
            ],
          },
          {
            role: 'user',
            parts: [
              ...[WEATHER, TIME].map((one) => ({
                functionResponse: { name: one.name, response: { output: fineOf(one) } },
              })),
              { text: 'And now?' },
            ],
          },
        ],
      }),
    },
    'openai-chat': {
      sent: () => ({
        tools: [
          { type: 'function', function: { name: WEATHER.name, parameters: schemaOf(WEATHER.name) } },
          { function: { name: TIME.name } },
        ],
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            content: PLAN,
            tool_calls: [WEATHER, TIME].map(({ id, name, input }) => ({
              id,
              type: 'function',
              function: { name, arguments: JSON.stringify(input) },
            })),
          },
          { role: 'tool', tool_call_id: WEATHER.id, content: fineOf(WEATHER) },
          { role: 'tool', tool_call_id: TIME.id, content: fineOf(TIME) },
          { role: 'user', content: 'And now?' },
        ],
      }),
    },
    'openai-responses': {
      sent: () => ({
        tools: [{ type: 'function', name: WEATHER.name, parameters: schemaOf(WEATHER.name) }, { name: TIME.name }],
        input: [
          { role: 'user' },
          { role: 'assistant', content: [{ type: 'output_text', text: PLAN }] },
          ...[WEATHER, TIME].map(({ id, name, input }) => ({
            type: 'function_call',
            call_id: id,
            name,
            arguments: JSON.stringify(input),
          })),
          { type: 'function_call_output', call_id: WEATHER.id, output: fineOf(WEATHER) },
          { type: 'function_call_output', call_id: TIME.id, output: fineOf(TIME) },
          { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
        ],
      }),
    },
    'bedrock-converse of Nova': 'bedrock-converse',
    'bedrock-converse of Llama': 'bedrock-converse',
    'google-gemini 2.5': {
      sent: () => ({
        contents: [
          { role: 'user' },
          {
            role: 'model',
            parts: [
              { text: PLAN },
              ...[WEATHER, TIME].map(({ name, input }) => ({ functionCall: { name, args: input } })),
            ],
          },
          {
            role: 'user',
            parts: [
              ...[WEATHER, TIME].map((one) => ({
                functionResponse: { name: one.name, response: { output: fineOf(one) } },
              })),
              { text: 'And now?' },
            ],
          },
        ],
      }),
    },
  },
  'tool results with image and PDF': {
    'anthropic-messages': {
      sent: () => ({
        messages: [
          { role: 'user' },
          { role: 'assistant' },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: WEATHER.id,
                content: [
                  { type: 'text', text: 'See the map.' },
                  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE } },
                  { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
                ],
              },
            ],
          },
        ],
      }),
    },
    'bedrock-converse': {
      sent: () => ({
        messages: [
          { role: 'user' },
          { role: 'assistant' },
          {
            role: 'user',
            content: [
              {
                toolResult: {
                  toolUseId: WEATHER.id,
                  content: [
                    { text: 'See the map.' },
                    { image: { format: 'png', source: { bytes: IMAGE } } },
                    { document: { format: 'pdf', source: { bytes: PDF } } },
                  ],
                },
              },
            ],
          },
        ],
      }),
    },
    'cohere-chat': {
      refused: /document/,
    },
    'google-gemini': {
      sent: () => ({
        contents: [
          { role: 'user' },
          { role: 'model' },
          {
            role: 'user',
            parts: [
              {
                functionResponse: {
                  name: WEATHER.name,
                  parts: [
                    { inlineData: { mimeType: 'image/png', data: IMAGE } },
                    { inlineData: { mimeType: 'application/pdf', data: PDF } },
                  ],
                },
              },
            ],
          },
        ],
      }),
    },
    'openai-chat': {
      sent: () => ({
        messages: [
          { role: 'user' },
          { role: 'assistant' },
          { role: 'tool', tool_call_id: WEATHER.id, content: expect.stringContaining('See the map.') },
          {
            role: 'user',
            content: expect.arrayContaining([
              expect.objectContaining({ type: 'image_url', image_url: { url: DATA_IMAGE } }),
              expect.objectContaining({ type: 'file', file: expect.objectContaining({ file_data: DATA_PDF }) }),
            ]),
          },
        ],
      }),
    },
    'openai-responses': {
      sent: () => ({
        input: [
          { role: 'user' },
          { type: 'function_call' },
          {
            type: 'function_call_output',
            call_id: WEATHER.id,
            output: [
              { type: 'input_text', text: 'See the map.' },
              { type: 'input_image', image_url: DATA_IMAGE },
              { type: 'input_file', file_data: DATA_PDF },
            ],
          },
        ],
      }),
    },
    'bedrock-converse of Nova': 'bedrock-converse',
    'bedrock-converse of Llama': {
      sent: () => ({
        messages: [
          { role: 'user' },
          { role: 'assistant' },
          {
            role: 'user',
            content: [
              {
                toolResult: {
                  toolUseId: WEATHER.id,
                  content: [
                    { text: 'See the map.' },
                    { text: expect.stringContaining('Attachment 1') },
                    { document: { format: 'pdf', source: { bytes: PDF } } },
                  ],
                },
              },
              { text: expect.stringContaining('Attachment 1') },
              { image: { format: 'png', source: { bytes: IMAGE } } },
            ],
          },
        ],
      }),
    },
    'google-gemini 2.5': {
      sent: () => ({
        contents: [
          { role: 'user' },
          { role: 'model' },
          {
            role: 'user',
            parts: [
              {
                functionResponse: { name: WEATHER.name, response: { output: expect.stringContaining('See the map.') } },
              },
              { text: expect.stringContaining('Attachment 1') },
              { inlineData: { mimeType: 'image/png', data: IMAGE } },
              { text: expect.stringContaining('Attachment 2') },
              { inlineData: { mimeType: 'application/pdf', data: PDF } },
            ],
          },
        ],
      }),
    },
  },
  'media by address': {
    'anthropic-messages': {
      sent: ({ platform }) => {
        // The clouds read no addresses.
        const isPassed = platform === 'direct' || platform === 'azure';
        const source = (url: string, media_type: string, data: string): object =>
          isPassed ? { type: 'url', url } : { type: 'base64', media_type, data };
        return {
          messages: [
            {
              content: [
                { type: 'text', text: QUESTION },
                { type: 'image', source: source(MAP_URL, 'image/png', IMAGE) },
                { type: 'document', source: source(REPORT_URL, 'application/pdf', PDF) },
              ],
            },
          ],
        };
      },
    },
    'bedrock-converse': {
      sent: () => ({
        messages: [
          {
            content: [
              { text: QUESTION },
              { image: { format: 'png', source: { bytes: IMAGE } } },
              { document: { format: 'pdf', source: { bytes: PDF } } },
            ],
          },
        ],
      }),
    },
    'bedrock-converse of Nova': 'bedrock-converse',
    'bedrock-converse of Llama': 'bedrock-converse',
    'cohere-chat': { refused: /document|file/ },
    'google-gemini': {
      sent: () => ({
        contents: [
          {
            parts: [
              { text: QUESTION },
              { inlineData: { mimeType: 'image/png', data: IMAGE } },
              { inlineData: { mimeType: 'application/pdf', data: PDF } },
            ],
          },
        ],
      }),
    },
    'google-gemini 2.5': 'google-gemini',
    'openai-chat': {
      sent: ({ platform }) => ({
        messages: [
          {
            content: [
              { type: 'text', text: QUESTION },
              { type: 'image_url', image_url: { url: platform === 'bedrock' ? DATA_IMAGE : MAP_URL } },
              { type: 'file', file: { file_data: DATA_PDF } },
            ],
          },
        ],
      }),
    },
    'openai-responses': {
      sent: () => ({
        input: [
          {
            content: [
              { type: 'input_text', text: QUESTION },
              { type: 'input_image', image_url: MAP_URL },
              { type: 'input_file', file_url: REPORT_URL },
            ],
          },
        ],
      }),
    },
  },
  'thinking with signatures': {
    'anthropic-messages': {
      sent: () => ({
        thinking: { type: 'enabled', budget_tokens: BUDGET },
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: THOUGHT, signature: signatureOf('anthropic', THOUGHT) },
              { type: 'tool_use', ...WEATHER },
            ],
          },
          { role: 'user' },
        ],
      }),
    },
    'bedrock-converse': {
      sent: () => ({
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: BUDGET } },
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            content: [
              { reasoningContent: { reasoningText: { text: THOUGHT, signature: signatureOf('anthropic', THOUGHT) } } },
              { toolUse: { toolUseId: WEATHER.id } },
            ],
          },
          { role: 'user' },
        ],
      }),
    },
    'cohere-chat': {
      sent: () => ({
        thinking: { type: 'enabled', token_budget: BUDGET },
        messages: [
          { role: 'user' },
          { role: 'assistant', content: [{ type: 'thinking', thinking: THOUGHT }], tool_calls: [{ id: WEATHER.id }] },
          { role: 'tool' },
        ],
      }),
    },
    'google-gemini': {
      sent: () => ({
        generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' } },
        contents: [
          { role: 'user' },
          {
            role: 'model',
            parts: [
              {
                functionCall: { name: WEATHER.name, args: WEATHER.input },
                thoughtSignature: signatureOf('google', `${WEATHER.name} ${JSON.stringify(WEATHER.input)}`),
              },
            ],
          },
          { role: 'user' },
        ],
      }),
    },
    'openai-chat': {
      notApplicable: "OpenAI's chat completions tell no reasoning, and take none back",
      dropped: [THOUGHT],
      otherwise: () => ({ thinking: '' }),
    },
    'openai-responses': {
      sent: () => ({
        reasoning: { effort: 'low' },
        include: ['reasoning.encrypted_content'],
        input: [
          { role: 'user' },
          {
            type: 'reasoning',
            id: 'rs_0',
            summary: [{ type: 'summary_text', text: THOUGHT }],
            encrypted_content: seal('openai', THOUGHT),
          },
          { type: 'function_call', call_id: WEATHER.id },
          { type: 'function_call_output', call_id: WEATHER.id },
        ],
      }),
    },
    'bedrock-converse of Nova': {
      sent: () => ({
        additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } },
        messages: [
          { role: 'user' },
          {
            role: 'assistant',
            content: [
              { reasoningContent: { reasoningText: { text: THOUGHT, signature: signatureOf('amazon', THOUGHT) } } },
              { toolUse: { toolUseId: WEATHER.id } },
            ],
          },
          { role: 'user' },
        ],
      }),
    },
    'bedrock-converse of Llama': {
      notApplicable: 'it neither thinks nor is told to',
      dropped: ['thinking', 'reasoning', THOUGHT],
      otherwise: () => ({ thinking: '' }),
    },
    'google-gemini 2.5': {
      sent: () => ({
        generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: BUDGET } },
        contents: [
          { role: 'user' },
          { role: 'model', parts: [{ functionCall: { name: WEATHER.name, args: WEATHER.input } }] },
          { role: 'user' },
        ],
      }),
    },
  },
  'cache markers': {
    'anthropic-messages': {
      sent: () => ({
        system: [{ text: SYSTEM, cache_control: CACHE_MARKER }],
        messages: [{ content: [{ text: QUESTION, cache_control: CACHE_MARKER }] }],
      }),
    },
    'bedrock-converse': {
      sent: () => ({
        system: [{ text: SYSTEM }, { cachePoint: { type: 'default' } }],
        messages: [{ content: [{ text: QUESTION }, { cachePoint: { type: 'default' } }] }],
      }),
    },
    'cohere-chat': {
      notApplicable: 'Cohere caches by itself, and counts what it cached of its own template only',
      dropped: ['cache_control'],
      otherwise: (_reply, face) => ({
        usage: { prompt: 17, cached: face === 'messages' ? null : 0, output: DOUBLE_USAGE.output },
      }),
    },
    'google-gemini': { notApplicable: 'Google caches by itself', dropped: ['cache_control'] },
    'openai-chat': { notApplicable: 'OpenAI caches by itself', dropped: ['cache_control'] },
    'openai-responses': { notApplicable: 'OpenAI caches by itself', dropped: ['cache_control'] },
    'bedrock-converse of Nova': 'bedrock-converse',
    'bedrock-converse of Llama': { notApplicable: 'a point fails the call', dropped: ['cachePoint'] },
    'google-gemini 2.5': 'google-gemini',
  },
  'structured output': {
    'anthropic-messages': { sent: () => ({ output_config: { format: { type: 'json_schema', schema: FORM } } }) },
    'bedrock-converse': {
      sent: () => ({
        outputConfig: {
          textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: JSON.stringify(FORM) } } },
        },
      }),
    },
    'cohere-chat': { sent: () => ({ response_format: { type: 'json_object', json_schema: FORM } }) },
    'google-gemini': {
      sent: () => ({ generationConfig: { responseMimeType: 'application/json', responseJsonSchema: reduced(FORM) } }),
    },
    'openai-chat': {
      sent: () => ({
        response_format: { type: 'json_schema', json_schema: { name: 'reply', schema: FORM, strict: true } },
      }),
    },
    'openai-responses': {
      sent: () => ({ text: { format: { type: 'json_schema', name: 'reply', schema: FORM, strict: true } } }),
    },
    'bedrock-converse of Nova': { notApplicable: 'Nova takes no schema', dropped: ['outputConfig'] },
    'bedrock-converse of Llama': 'bedrock-converse',
    'google-gemini 2.5': 'google-gemini',
  },
  citations: everywhere(),
  // Faces of OpenAI's formats pass a refusal of its formats on unchanged.
  refusal: everywhere({
    'openai-chat': (_reply, face) => (face === 'messages' ? {} : { stop: STOPS[face].end }),
    'openai-responses': (_reply, face) => (face === 'responses' ? { stop: STOPS[face].end } : {}),
  }),
  'max tokens': everywhere(),
  'stop sequence': {
    'anthropic-messages': { sent: () => ({ stop_sequences: [STOP_SEQUENCE] }) },
    'bedrock-converse': { sent: () => ({ inferenceConfig: { stopSequences: [STOP_SEQUENCE] } }) },
    'cohere-chat': {
      sent: () => ({ stop_sequences: [STOP_SEQUENCE] }),
      // That one was met, not which.
      otherwise: () => ({ stopSequence: null }),
    },
    'google-gemini': {
      sent: () => ({ generationConfig: { stopSequences: [STOP_SEQUENCE] } }),
      otherwise: withoutSequence,
    },
    'openai-chat': {
      // OpenAI's models that may reason refuse it.
      sent: ({ model }) => (model.startsWith('gpt-5') ? {} : { stop: [STOP_SEQUENCE] }),
      otherwise: withoutSequence,
    },
    'openai-responses': {
      notApplicable: 'the format has no stop sequences',
      dropped: [STOP_SEQUENCE],
      otherwise: withoutSequence,
    },
    'bedrock-converse of Nova': {
      sent: () => ({ inferenceConfig: { stopSequences: [STOP_SEQUENCE] } }),
      // Only Claude names the sequence.
      otherwise: () => ({ stopSequence: null }),
    },
    'bedrock-converse of Llama': 'bedrock-converse of Nova',
    'google-gemini 2.5': 'google-gemini',
  },
};

export function cellOf(id: CaseId, family: FamilyId): Cell {
  const cell = ROWS[id][family];
  return typeof cell === 'string' ? cellOf(id, cell) : cell;
}

const STOPS: Readonly<Record<FaceName, Readonly<Record<ReturnType<typeof stopOf>, string>>>> = {
  messages: {
    end: 'end_turn',
    'tool-use': 'tool_use',
    'output-limit': 'max_tokens',
    'stop-sequence': 'stop_sequence',
    refusal: 'refusal',
  },
  chat: {
    end: 'stop',
    'tool-use': 'tool_calls',
    'output-limit': 'length',
    'stop-sequence': 'stop',
    refusal: 'content_filter',
  },
  responses: {
    end: 'completed',
    'tool-use': 'completed',
    'output-limit': 'incomplete: max_output_tokens',
    'stop-sequence': 'completed',
    refusal: 'incomplete: content_filter',
  },
};

/** Where the vendor knows no ids the gateway makes them. */
const idOf = (id: string, { dialect, family, platform }: Pair): JsonBody =>
  dialect === 'google-gemini' && (platform === 'vertex' || family === 'google-gemini 2.5') ? expect.any(String) : id;

/** Vendors that report no cache figures: the Messages face reports null, the others count none. */
function cachedOf(cached: number, face: FaceName, { dialect }: Pair): number | null {
  const isReported = dialect === 'google-gemini' ? cached > 0 : dialect !== 'cohere-chat';
  return isReported || face !== 'messages' ? cached : null;
}

/** Whether a vendor's citation quotes the page, or marks the cited part of the reply. */
const CITES: Readonly<Record<WireDialect, 'the page' | 'the reply'>> = {
  'anthropic-messages': 'the page',
  'bedrock-converse': 'the page',
  'cohere-chat': 'the reply',
  'google-gemini': 'the reply',
  'openai-chat': 'the reply',
  'openai-responses': 'the reply',
};

/** A citation in a face's form, with only what the vendor reports. */
function citationOf(
  { url, title, quote }: DoubleCitation,
  words: string,
  face: FaceName,
  dialect: WireDialect,
): JsonBody {
  const quotesPage = CITES[dialect] === 'the page';
  if (face === 'messages') {
    return {
      type: 'web_search_result_location',
      url,
      title,
      cited_text: quotesPage ? quote : '',
      // Anthropic's own index, which it wants back; others have none.
      encrypted_index: dialect === 'anthropic-messages' ? Buffer.from(url).toString('base64') : '',
    };
  }
  const start = words.indexOf(quote);
  const page = quotesPage
    ? { url, title, content: quote, start_index: 0, end_index: words.length }
    : { url, title, start_index: start, end_index: start + quote.length };
  return face === 'chat' ? { type: 'url_citation', url_citation: page } : { type: 'url_citation', ...page };
}

/** A face's reply for a double's reply, without exceptions. OpenAI's formats count cached tokens as prompt. */
export function replyFor(reply: DoubleReply, face: FaceName, pair: Pair, otherwise?: Otherwise): CallerReply {
  const { input, cached, output } = reply.usage ?? DOUBLE_USAGE;
  const words = (type: 'thinking' | 'text'): string =>
    reply.parts.map((part) => (part.type === type ? part.text : '')).join('');
  return {
    thinking: words('thinking'),
    text: words('text'),
    calls: reply.parts.flatMap((part) =>
      part.type === 'call' ? [{ id: idOf(part.id, pair), name: part.name, input: part.input }] : [],
    ),
    stop: STOPS[face][stopOf(reply)],
    stopSequence: (face === 'messages' && reply.stopSequence) || null,
    usage: { prompt: face === 'messages' ? input : input + cached, cached: cachedOf(cached, face, pair), output },
    citations: reply.parts.flatMap((part) =>
      part.type === 'text' ? (part.citations ?? []).map((one) => citationOf(one, part.text, face, pair.dialect)) : [],
    ),
    ...otherwise?.(reply, face, pair),
  };
}

/** The status that a caller receives for a failure. Only Anthropic has a status for overload. */
export const FAILURE_STATUSES: Readonly<Record<DoubleFailureKind, (pair: Pair) => number>> = {
  invalid: () => 400,
  unauthorised: () => 502,
  'rate-limited': () => 429,
  overloaded: ({ dialect, platform }) => (dialect === 'anthropic-messages' && platform !== 'bedrock' ? 529 : 503),
  'server-error': () => 502,
};
