// The bodies that `bench/steps.mjs` measures: as many items of each kind as fit into a size or the limits.
const KB = 1_000;
const MIB = 1024 * 1024;

/** Bytes of the largest bodies that are measured. */
const MOST = Number(process.env.BENCH_MOST_BYTES ?? Infinity);
const upToMost = (sizes) => sizes.filter((size) => size <= MOST);
export const SIZES = upToMost([400 * KB, 2 * MIB, 10_000 * KB, 32 * MIB - KB]);
export const REPLY_SIZES = upToMost([400 * KB, 2 * MIB, 10_000 * KB, 64 * MIB - KB]);

/** Limits of the gateway: `src/core/json/json-scan.ts`, `src/shared/http/maxima.ts`. */
const VALUES_MAX = 690_000;
const MESSAGES_MAX = 100_000;
const PARTS_MAX = 20_000;
const TOOLS_MAX = 10_000;

const times = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const WORDS = 'Die Züge fahren um “acht”; each line is 1 of n. ';
const words = (bytes) => WORDS.repeat(Math.ceil(bytes / Buffer.byteLength(WORDS))).slice(0, bytes);
const roleOf = (index) => (index % 2 === 0 ? 'user' : 'assistant');

/** How many items of a kind fit into a size. @param values of JSON in each */
function countOf(size, each, values, max = Infinity) {
  const bytes = Buffer.byteLength(JSON.stringify(each)) + 1;
  return Math.max(1, Math.min(Math.floor(size / bytes), Math.floor(VALUES_MAX / values), max));
}

const bodyOf = (parts) => JSON.stringify({ model: 'a/b', max_tokens: 9, ...parts });
/** Undefined where limits keep a body far below its size: an equal one is measured already. */
const unlessCapped = (size, make) => {
  const body = make(size);
  return size > 4 * MIB && body.length < size / 2 && make(size / 3) === body ? undefined : body;
};

/** Blocks in as few messages as the limits allow. */
function inMessages(blocks) {
  const messages = [];
  for (let from = 0; from < blocks.length; from += PARTS_MAX)
    messages.push({ role: roleOf(messages.length), content: blocks.slice(from, from + PARTS_MAX) });
  return messages;
}

const turn = (index, bytes) => ({ role: roleOf(index), content: [{ type: 'text', text: words(bytes) }] });
const tiny = { type: 'text', text: 'a' };
const marked = { ...tiny, cache_control: { type: 'ephemeral' } };
const callOf = (index) => ({
  type: 'tool_use', id: `tool:é${index}`, name: `f${index % 50}`,
  input: { path: `/src/${index}.ts`, edits: [{ from: 1, to: 2, text: 'x' }], options: { deep: { dry: true } } },
}); // oxfmt-ignore
const resultOf = (index) => ({
  type: 'tool_result', tool_use_id: `tool:é${index}`, content: [{ type: 'text', text: 'ok' }],
}); // oxfmt-ignore
const toolOf = (index) => ({
  name: `tool_${index}`, description: 'Edits a file.',
  input_schema: {
    type: 'object', required: ['a'], additionalProperties: false,
    properties: {
      a: { type: 'string', enum: ['a', 'b'] }, b: { type: 'integer', minimum: 1 },
      c: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    },
  },
}); // oxfmt-ignore
const imageOf = (bytes) => ({
  type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgoA'.repeat(bytes / 12) },
}); // oxfmt-ignore

/** A call and its result, each in a separate message. */
const callTurns = (index) => [
  { role: 'assistant', content: [callOf(index)] },
  { role: 'user', content: [resultOf(index)] },
];

/** The JSON of a `POST /messages` of about this size, by kind. */
export const REQUESTS = {
  'one text': (size) => bodyOf({ messages: [turn(0, size)] }),
  'turns of 1 KB': (size) => bodyOf({ messages: times(countOf(size, turn(0, KB), 5), (index) => turn(index, KB)) }),
  'images of 512 KB': (size) =>
    bodyOf({ messages: [{ role: 'user', content: times(Math.ceil(size / 512_000), () => imageOf(Math.min(size, 504_000))) }] }), // oxfmt-ignore
  'tiny messages': (size) =>
    unlessCapped(size, (most) => {
      const each = { role: 'assistant', content: 'a' };
      return bodyOf({
        messages: times(countOf(most, each, 3, MESSAGES_MAX), (index) => ({ ...each, role: roleOf(index) })),
      });
    }),
  'tiny blocks': (size) =>
    unlessCapped(size, (most) => bodyOf({ messages: inMessages(times(countOf(most, tiny, 3), () => tiny)) })),
  'tiny marked blocks': (size) =>
    unlessCapped(size, (most) => bodyOf({ messages: inMessages(times(countOf(most, marked, 5), () => marked)) })),
  'calls and results': (size) =>
    unlessCapped(size, (most) => {
      const count = countOf(most, callTurns(10_000), 28, MESSAGES_MAX / 2 - 1);
      return bodyOf({ messages: [turn(0, 10), ...times(count, callTurns).flat()] });
    }),
  tools: (size) =>
    unlessCapped(size, (most) =>
      bodyOf({ messages: [turn(0, 10)], tools: times(countOf(most, toolOf(1_000), 26, TOOLS_MAX), toolOf) }),
    ),
};

const text = (words) => [{ type: 'text', text: words }];
export const SHORT_REQUEST = {
  model: 'a/b', system: text('You are a guide.'), messages: [{ role: 'user', content: text('Hi') }], stream: false,
  maxOutputTokens: 500, sampling: {}, tools: [], preferences: {}, plugins: [], betas: [],
}; // oxfmt-ignore

const dialog = (content, role = 'user') => ({ ...SHORT_REQUEST, messages: [{ role, content }] });
const letter = text('a')[0];
const inputOf = (entries, entry) => ({ list: times(entries, (index) => `${index} ${entry}`) });
const callWith = (input) => ({ type: 'tool-use', id: 'tool:é', name: 'f', input });
const answered = (calls) => ({
  ...SHORT_REQUEST,
  messages: [
    { role: 'assistant', content: calls },
    { role: 'user', content: calls.map(({ id }) => ({ type: 'tool-result', toolUseId: id, content: [letter] })) },
  ],
});
const png = { type: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgoA' };
const smallCall = (index) => ({ ...callWith({}), id: `tool:é${index}` });

/** The largest single turns, as neutral requests; calls take two turns, one for their results. */
export const TURNS = {
  '20,000 texts': () => dialog(times(PARTS_MAX, () => letter)),
  '20,000 texts of an assistant': () =>
    dialog(
      times(PARTS_MAX, () => letter),
      'assistant',
    ),
  '20,000 marked texts': () => dialog(times(PARTS_MAX, () => ({ ...letter, cacheMarker: { ttl: '5m' } }))),
  '20,000 images': () => dialog(times(PARTS_MAX, () => ({ type: 'image', source: png }))),
  '20,000 documents': () =>
    dialog(times(PARTS_MAX, () => ({ type: 'document', title: 't', source: { type: 'text', text: 'x' } }))),
  '20,000 thoughts': () =>
    dialog([...times(PARTS_MAX - 1, () => ({ type: 'thinking', thinking: 'x', signature: 's' })), letter], 'assistant'),
  '20,000 calls, their results': () => answered(times(PARTS_MAX, smallCall)),
  'input of 190,000 values': () => answered([callWith(inputOf(190_000, 'x'))]),
  'input of 10 MB in texts of 1 KB': () => answered([callWith(inputOf(10_000, words(970)))]),
  'input of 32 MiB in texts of 1 KB': () => answered([callWith(inputOf(34_000, words(970)))]),
  'arguments of 1 MiB as text': () => answered([callWith(JSON.stringify(inputOf(1_070, words(970))))]),
  'arguments of 10 MB as text': () => answered([callWith(JSON.stringify(inputOf(10_000, words(970))))]),
  'arguments of 32 MiB as text': () => answered([callWith(JSON.stringify(inputOf(34_000, words(970))))]),
};

/** Whole replies with texts and calls, in each format. */
const FORMATS = {
  'anthropic-messages': (texts, calls) => ({
    id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
    content: [
      ...texts.map((letter) => ({ type: 'text', text: letter })),
      ...calls.map(({ id, input }) => ({ type: 'tool_use', id, name: 'f', input })),
    ],
  }),
  'openai-chat': (texts, calls) => ({
    id: 'chat_1', object: 'chat.completion', created: 1, model: 'm',
    choices: [{
      index: 0, finish_reason: 'stop',
      message: {
        role: 'assistant', content: texts.map((letter) => ({ type: 'text', text: letter })),
        ...(calls.length > 0 && { tool_calls: calls.map(asText) }),
      },
    }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  'openai-responses': (texts, calls) => ({
    id: 'resp_1', status: 'completed', model: 'm', usage: { input_tokens: 1, output_tokens: 1 },
    output: [
      ...texts.map((letter, index) => ({
        type: 'message', id: `m${index}`, role: 'assistant',
        content: [{ type: 'output_text', text: letter, annotations: [] }],
      })),
      ...calls.map(({ id, input }) => ({
        type: 'function_call', id: `f${id}`, call_id: id, name: 'f', arguments: JSON.stringify(input),
      })),
    ],
  }),
  'google-gemini': (texts, calls) => ({
    candidates: [{
      finishReason: 'STOP',
      content: {
        role: 'model',
        parts: [
          ...texts.map((letter, index) => ({ text: letter, ...(index % 2 === 1 && { thought: true }) })),
          ...calls.map(({ id, input }) => ({ functionCall: { id, name: 'f', args: input } })),
        ],
      },
    }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
  }),
  'bedrock-converse': (texts, calls) => ({
    stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    output: {
      message: {
        role: 'assistant',
        content: [
          ...texts.map((letter) => ({ text: letter })),
          ...calls.map(({ id, input }) => ({ toolUse: { toolUseId: id, name: 'f', input } })),
        ],
      },
    },
  }),
  'cohere-chat': (texts, calls) => ({
    id: 'chat_1', finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 1, output_tokens: 1 } },
    message: {
      role: 'assistant', content: texts.map((letter) => ({ type: 'text', text: letter })),
      tool_calls: calls.map(asText),
    },
  }),
}; // oxfmt-ignore

const asText = ({ id, input }) => ({ id, type: 'function', function: { name: 'f', arguments: JSON.stringify(input) } });
/** Limit of the blocks of a reply: `src/providers/dialects/block-sequencer.ts`. */
const BLOCKS_MAX = 49_000;
const fitting = (size, each) => Math.max(1, Math.floor(size / (Buffer.byteLength(JSON.stringify(each)) + 1)));
const filled = (size, each) => Math.min(BLOCKS_MAX, fitting(size, each));

/** The whole reply of about this size in a format, by kind. */
export const REPLIES = {
  'one text': (id, size) => FORMATS[id]([words(size)], []),
  texts: (id, size) =>
    FORMATS[id](
      times(filled(size, FORMATS[id](['a'], []).output?.[0] ?? tiny), () => 'a'),
      [],
    ),
  calls: (id, size) => FORMATS[id]([], times(filled(size, callOf(1)), (index) => ({ id: `t${index}`, input: callOf(index).input }))), // oxfmt-ignore
  'one call': (id, size) => FORMATS[id]([], [{ id: 't', input: { list: times(fitting(size, 'x'.repeat(96)), (index) => `${index} ${'x'.repeat(90)}`) } }]), // oxfmt-ignore
};

export function targetOf(dialect) {
  const policy = { collectsData: false, zeroDataRetention: false };
  const provider = { slug: 'test', name: 'Test', dialect, baseUrl: 'https://provider.test', policy };
  const endpoint = {
    tag: 'test', provider, upstreamModel: 'anthropic.claude-sonnet-4-5', pricing: null, quantization: 'unknown',
    contextLength: 1_000_000, supportedParameters: ['tools'],
  }; // oxfmt-ignore
  const model = {
    id: 'a/b', name: 'B', contextLength: 1_000_000, inputModalities: ['text', 'image'], outputModalities: ['text'],
    scores: {}, endpoints: [endpoint],
  }; // oxfmt-ignore
  return { endpoint, model, tier: 'standard', definition: { slug: 'test', credential: 'none', quirks: {} } };
}
