/**
 * Goal: decoders do what the tables state about replies. Method: for each dialect a body of every form, with every stop
 * and every figure of usage, decoded. What is mapped is emitted, what is dropped leaves no trace, and what a format
 * lacks is not emitted.
 */
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import { withRow } from '../../../test/support/with-row.js';
import type { ModelEvent, UnifiedStop } from '../../core/conversation/event.js';
import { ReplyBuilder, type Reply } from '../../core/conversation/reply.js';
import type { Usage } from '../../core/conversation/usage.js';
import { ProviderFault } from '../../core/errors.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import type { DecodeContext } from '../../core/provider.js';
import type { ReplyForm, UsageClass } from '../../core/translation.js';
import { doAtOnce } from '../../core/steps.js';
import { DIALECTS } from './index.js';
import { dropped } from './rules.js';

type Spoken = Exclude<keyof typeof DIALECTS, 'simulated'>;
const SPOKEN = Object.keys(DIALECTS).filter((id): id is Spoken => id !== 'simulated');

const one = endpoint('p');
const CONTEXT: DecodeContext = {
  request: modelRequest({ sampling: { logprobs: true } }),
  target: {
    model: model('a/b', [one]),
    endpoint: one,
    tier: 'standard',
    definition: { slug: 'p', credential: 'bearer', quirks: {} },
  },
};

/** How a format expresses one thing: pieces of its answer, its stop, its figures, and fields beside them. */
interface Body {
  readonly parts: readonly JsonObject[];
  readonly stop?: string;
  readonly usage?: JsonObject;
  readonly beside?: JsonObject;
}

const BODIES: Readonly<Record<Spoken, (body: Body) => JsonObject>> = {
  'anthropic-messages': ({ parts, stop = 'end_turn', usage = { input_tokens: 1, output_tokens: 1 } }) => ({
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', content: parts, stop_reason: stop, usage },
  }),
  'openai-chat': ({ parts, stop = 'stop', usage = {}, beside = {} }) => {
    const message = Object.assign({ role: 'assistant', content: null }, ...parts) as JsonObject;
    const { logprobs = null, ...rest } = beside;
    return { id: 'c', choices: [{ index: 0, message, finish_reason: stop, logprobs }], usage, ...rest };
  },
  'openai-responses': ({ parts, stop = 'completed', usage = {}, beside = {} }) => ({
    id: 'r',
    output: parts,
    usage,
    ...(stop === 'completed' ? { status: stop } : { status: 'incomplete', incomplete_details: { reason: stop } }),
    ...beside,
  }),
  'cohere-chat': ({ parts, stop = 'COMPLETE', usage = {}, beside = {} }) => ({
    id: 'r',
    finish_reason: stop,
    message: Object.assign({ role: 'assistant' }, ...parts) as JsonObject,
    usage,
    ...beside,
  }),
  'google-gemini': ({ parts, stop = 'STOP', usage = {}, beside = {} }) => ({
    candidates: [{ content: { role: 'model', parts }, finishReason: stop, ...beside }],
    usageMetadata: usage,
  }),
  'bedrock-converse': ({ parts, stop = 'end_turn', usage = {}, beside = {} }) => ({
    output: { message: { role: 'assistant', content: parts } },
    stopReason: stop,
    usage,
    ...beside,
  }),
};

const decode = (id: Spoken, body: Body): ModelEvent[] => doAtOnce(DIALECTS[id].decodeWhole(BODIES[id](body), CONTEXT));

function replyOf(events: readonly ModelEvent[]): Reply {
  const builder = new ReplyBuilder();
  for (const event of events) builder.push(event);
  return builder.finish();
}

// --- Stops

const TEXTS: Readonly<Record<Spoken, JsonObject>> = {
  'anthropic-messages': { type: 'text', text: 'needle' },
  'openai-chat': { content: 'needle' },
  'openai-responses': { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'needle' }] },
  'cohere-chat': { content: [{ type: 'text', text: 'needle' }] },
  'google-gemini': { text: 'needle' },
  'bedrock-converse': { text: 'needle' },
};

const chatCall = { id: 'call_1', type: 'function', function: { name: 'needle', arguments: '{"a":1}' } };
const CALLS: Readonly<Record<Spoken, JsonObject>> = {
  'anthropic-messages': { type: 'tool_use', id: 'call_1', name: 'needle', input: { a: 1 } },
  'openai-chat': { tool_calls: [chatCall] },
  'openai-responses': { type: 'function_call', call_id: 'call_1', name: 'needle', arguments: '{"a":1}' },
  'cohere-chat': { tool_calls: [chatCall] },
  'google-gemini': { functionCall: { name: 'needle', args: { a: 1 } } },
  'bedrock-converse': { toolUse: { toolUseId: 'call_1', name: 'needle', input: { a: 1 } } },
};

describe.each(SPOKEN)('stops of %s', (id) => {
  const { unified, faults } = DIALECTS[id].table.stops;

  it.each([...unified, ['an unknown value', 'other'] as const])('%s is %s', (word, stop: UnifiedStop) => {
    const part = stop === 'tool-use' ? CALLS[id] : TEXTS[id];
    expect(replyOf(decode(id, { parts: [part], stop: word })).stop).toMatchObject({ unified: stop, raw: word });
  });

  it.each([...unified])('%s goes by its row', (word, stop: UnifiedStop) => {
    const words = unified as Map<string, UnifiedStop>;
    words.set(word, 'compaction');
    try {
      const part = stop === 'tool-use' ? CALLS[id] : TEXTS[id];
      expect(replyOf(decode(id, { parts: [part], stop: word })).stop).toMatchObject({ unified: 'compaction' });
    } finally {
      words.set(word, stop);
    }
  });

  if (faults.size > 0) {
    it.each([...faults])('%s is a fault: %s', (word, kind) => {
      const act = (): unknown => decode(id, { parts: [TEXTS[id]], stop: word });
      expect(act).toThrow(ProviderFault);
      expect(act).toThrow(expect.objectContaining({ kind }));
    });
  }
});

// --- The content of a reply

/** A reply with the form, and nothing else with the word `needle`. */
type Held = Readonly<Record<Spoken, Body | undefined>>;

const PAGE = { url: 'https://needle.test', title: 'Needle' };
const CITED = { type: 'url_citation', ...PAGE, start_index: 0, end_index: 3 };
const outputText = (more: JsonObject): JsonObject => ({ type: 'output_text', text: 'Yes.', ...more });
const messageOf = (...content: JsonObject[]): JsonObject => ({ type: 'message', role: 'assistant', content });
const LIKELY = { token: 'needle', logprob: -0.5, bytes: [], top_logprobs: [] };

const HELD: Readonly<Record<Exclude<ReplyForm, 'argument_pieces'>, Held>> = {
  text: all((id) => ({ parts: [TEXTS[id]] })),
  tool_call: all((id) => ({ parts: [CALLS[id]] })),
  refusal: {
    ...all(() => undefined),
    'openai-chat': { parts: [{ refusal: 'needle' }] },
    'openai-responses': { parts: [messageOf({ type: 'refusal', refusal: 'needle' })] },
  },
  thinking: {
    'anthropic-messages': { parts: [{ type: 'thinking', thinking: 'needle', signature: 'c2ln' }] },
    'openai-chat': { parts: [{ reasoning_content: 'needle', content: 'Yes.' }] },
    'openai-responses': {
      parts: [{ type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'needle' }] }],
    },
    'cohere-chat': { parts: [{ content: [{ type: 'thinking', thinking: 'needle' }] }] },
    'google-gemini': { parts: [{ text: 'needle', thought: true }] },
    'bedrock-converse': { parts: [{ reasoningContent: { reasoningText: { text: 'needle' } } }] },
  },
  signature: {
    ...all(() => undefined),
    'anthropic-messages': { parts: [{ type: 'thinking', thinking: 'So.', signature: 'needle' }] },
    'openai-chat': {
      parts: [
        {
          content: 'Yes.',
          reasoning_details: [{ type: 'reasoning.text', text: 'So.', signature: 'needle', format: 'x' }],
        },
      ],
    },
    'google-gemini': { parts: [{ text: 'So.', thought: true, thoughtSignature: 'needle' }, { text: 'Yes.' }] },
    'bedrock-converse': { parts: [{ reasoningContent: { reasoningText: { text: 'So.', signature: 'needle' } } }] },
  },
  sealed: {
    ...all(() => undefined),
    'anthropic-messages': { parts: [{ type: 'redacted_thinking', data: 'needle' }] },
    'openai-chat': {
      parts: [{ content: 'Yes.', reasoning_details: [{ type: 'reasoning.encrypted', data: 'needle', format: 'x' }] }],
    },
    'openai-responses': { parts: [{ type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'needle' }] },
    'google-gemini': { parts: [{ text: 'Yes.', thoughtSignature: 'needle' }] },
    'bedrock-converse': { parts: [{ reasoningContent: { redactedContent: 'needle' } }] },
  },
  citations: {
    'anthropic-messages': {
      parts: [{ type: 'text', text: 'Yes.', citations: [{ type: 'char_location', cited_text: 'needle' }] }],
    },
    'openai-chat': { parts: [{ content: 'Yes.', annotations: [{ type: 'url_citation', url_citation: CITED }] }] },
    'openai-responses': { parts: [messageOf(outputText({ annotations: [CITED] }))] },
    'cohere-chat': {
      parts: [
        { content: [{ type: 'text', text: 'Yes.' }] },
        { citations: [{ start: 0, end: 3, text: 'Yes', sources: [{ type: 'tool', id: 't', tool_output: PAGE }] }] },
      ],
    },
    'google-gemini': {
      parts: [{ text: 'Yes.' }],
      beside: {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }],
          groundingSupports: [{ segment: { endIndex: 3, text: 'Yes' }, groundingChunkIndices: [0] }],
        },
      },
    },
    'bedrock-converse': {
      parts: [
        {
          citationsContent: {
            content: [{ text: 'Yes.' }],
            citations: [
              {
                title: 'T',
                sourceContent: [{ text: 'needle' }],
                location: { documentChar: { documentIndex: 0, start: 0, end: 6 } },
              },
            ],
          },
        },
      ],
    },
  },
  logprobs: {
    ...all(() => undefined),
    'openai-chat': { parts: [{ content: 'Yes.' }], beside: { logprobs: { content: [LIKELY] } } },
    'openai-responses': { parts: [messageOf(outputText({ logprobs: [LIKELY] }))] },
    'cohere-chat': {
      parts: [{ content: [{ type: 'text', text: 'Yes.' }] }],
      beside: { logprobs: [{ token_ids: [1], text: 'needle', logprobs: [-0.5] }] },
    },
    'google-gemini': {
      parts: [{ text: 'Yes.' }],
      beside: { logprobsResult: { chosenCandidates: [{ token: 'needle', logProbability: -0.5 }] } },
    },
  },
  vendor_blocks: {
    ...all(() => undefined),
    'anthropic-messages': {
      parts: [{ type: 'web_search_tool_result', tool_use_id: 's', content: [{ title: 'needle' }] }],
    },
    'openai-chat': { parts: [{ content: 'Yes.', executed_tools: [{ type: 'search', output: 'needle' }] }] },
    'openai-responses': { parts: [{ type: 'web_search_call', id: 'needle', status: 'completed' }] },
    'google-gemini': { parts: [{ executableCode: { language: 'PYTHON', code: 'needle' } }, { text: 'Yes.' }] },
    'bedrock-converse': {
      parts: [
        { toolUse: { toolUseId: 't', name: 'nova_grounding', type: 'server_tool_use', input: { query: 'needle' } } },
        { text: 'Yes.' },
      ],
    },
  },
  media: {
    ...all(() => undefined),
    'anthropic-messages': {
      parts: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'needle' } }],
    },
    'openai-chat': {
      parts: [{ content: 'Yes.', images: [{ image_url: { url: 'https://needle.test/a.png' } }] }],
    },
    'openai-responses': { parts: [{ type: 'image_generation_call', id: 'ig', result: 'needle' }] },
    'google-gemini': { parts: [{ inlineData: { mimeType: 'image/png', data: 'needle' } }, { text: 'Yes.' }] },
    'bedrock-converse': { parts: [{ image: { format: 'png', source: { bytes: 'needless' } } }, { text: 'Yes.' }] },
  },
};

function all(make: (id: Spoken) => Body | undefined): Held {
  return Object.fromEntries(SPOKEN.map((id) => [id, make(id)])) as Held;
}

/** The kind of events to search; any where a form has no kind of its own. */
const KINDS: Readonly<Record<keyof typeof HELD, (event: ModelEvent) => boolean>> = {
  text: isDelta('text'),
  refusal: isDelta('text'),
  thinking: isDelta('thinking'),
  signature: isDelta('signature'),
  sealed: (event) => event.type === 'block-start' && event.block.type === 'redacted-thinking',
  tool_call: (event) => event.type === 'block-start' && event.block.type === 'tool-use',
  citations: isDelta('citation'),
  logprobs: isDelta('opaque'),
  vendor_blocks: (event) => event.type !== 'usage',
  media: (event) => event.type !== 'usage',
};

function isDelta(type: string): (event: ModelEvent) => boolean {
  return (event) => event.type === 'block-delta' && event.delta.type === type;
}

describe.each(SPOKEN)('replies of %s', (id) => {
  it.each(Object.keys(HELD) as (keyof typeof HELD)[])('%s', (form) => {
    const rule = DIALECTS[id].table.replies[form];
    const body = HELD[form][id];
    // No body can express what a format lacks.
    expect(body === undefined).toBe(rule.type === 'absent');
    if (body === undefined) return;
    const emitted = decode(id, body).filter(KINDS[form]);
    expect(JSON.stringify(emitted).includes('needle')).toBe(rule.type === 'mapped');
  });
});

// --- Pieces of arguments

type Frame = readonly [event: string, data: Json];
const usage = { input_tokens: 1, output_tokens: 1 };
const chunk = (delta: JsonObject, finish_reason: string | null = null): Frame => [
  '',
  { choices: [{ index: 0, delta, finish_reason }] },
];
const gemini = (call: JsonObject, more: JsonObject = {}): Frame => [
  '',
  { candidates: [{ content: { parts: [{ functionCall: call }] }, ...more }] },
];
const item = { type: 'function_call', id: 'fc', call_id: 'call_1', name: 'f', arguments: '' };

/** A call whose arguments come in two pieces. */
const PIECES: Readonly<Record<Spoken, readonly Frame[]>> = {
  'anthropic-messages': [
    ['message_start', { type: 'message_start', message: { ...BODIES['anthropic-messages']({ parts: [] }), stop_reason: null } }],
    ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'call_1', name: 'f', input: {} } }],
    ['content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a"' } }],
    ['content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: ':1}' } }],
    ['content_block_stop', { type: 'content_block_stop', index: 0 }],
    ['message_delta', { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage }],
    ['message_stop', { type: 'message_stop' }],
  ],
  'openai-chat': [
    chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'f', arguments: '{"a"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
    chunk({}, 'tool_calls'),
    ['', '[DONE]'],
  ],
  'openai-responses': [
    ['', { type: 'response.output_item.added', output_index: 0, item }],
    ['', { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc', delta: '{"a"' }],
    ['', { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc', delta: ':1}' }],
    ['', { type: 'response.output_item.done', output_index: 0, item: { ...item, arguments: '{"a":1}' } }],
    ['', { type: 'response.completed', response: { status: 'completed', output: [{ ...item, arguments: '{"a":1}' }], usage } }],
  ],
  'cohere-chat': [
    ['', { type: 'message-start', id: 'r', delta: { message: { role: 'assistant' } } }],
    ['', { type: 'tool-call-start', index: 0, delta: { message: { tool_calls: { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a"' } } } } }],
    ['', { type: 'tool-call-delta', index: 0, delta: { message: { tool_calls: { function: { arguments: ':1}' } } } } }],
    ['', { type: 'tool-call-end', index: 0 }],
    ['', { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: {} } }],
  ],
  'google-gemini': [
    gemini({ name: 'f', willContinue: true }),
    gemini({ partialArgs: [{ jsonPath: '$.a', numberValue: 1 }], willContinue: true }),
    gemini({}, { finishReason: 'STOP' }),
  ],
  'bedrock-converse': [
    ['messageStart', { role: 'assistant' }],
    ['contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'call_1', name: 'f' } } }],
    ['contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{"a"' } } }],
    ['contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: ':1}' } } }],
    ['contentBlockStop', { contentBlockIndex: 0 }],
    ['messageStop', { stopReason: 'tool_use' }],
    ['metadata', { usage: { inputTokens: 1, outputTokens: 1 } }],
  ],
}; // oxfmt-ignore

it.each(SPOKEN)('pieces of arguments of %s are emitted as the table states', (id) => {
  const decoder = DIALECTS[id].decodeStream(CONTEXT);
  const out: ModelEvent[] = [];
  for (const [event, data] of PIECES[id]) {
    decoder.push({ event, data: typeof data === 'string' ? data : JSON.stringify(data) }, out);
  }
  decoder.end(out);
  const pieces = out.flatMap((event) =>
    event.type === 'block-delta' && event.delta.type === 'input-json' ? [event.delta.json] : [],
  );
  expect(JSON.parse(pieces.join(''))).toEqual({ a: 1 });
  const { argument_pieces: rule } = DIALECTS[id].table.replies;
  expect(rule.type === 'mapped' && rule.how === 'at once').toBe(pieces.length > 1);
});

// --- Usage

const FIGURES: Readonly<Record<UsageClass, keyof Usage>> = {
  input: 'inputTokens',
  output: 'outputTokens',
  cache_read: 'cacheReadTokens',
  cache_write: 'cacheWriteTokens',
  cache_write_1h: 'cacheWrite1hTokens',
  reasoning: 'reasoningTokens',
  image_output: 'imageTokens',
  web_searches: 'webSearchRequests',
  web_fetches: 'webFetchRequests',
  calls: 'iterations',
  service_tier: 'serviceTier',
  speed: 'speed',
  inference_geo: 'inferenceGeo',
};

/** All figures of a vendor's usage. */
const REPORTS: Readonly<Record<Spoken, Omit<Body, 'parts'>>> = {
  'anthropic-messages': {
    usage: {
      input_tokens: 100,
      output_tokens: 50,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 3 },
      output_tokens_details: { thinking_tokens: 5 },
      server_tool_use: { web_search_requests: 1, web_fetch_requests: 2 },
      iterations: [{ type: 'message', input_tokens: 100, output_tokens: 50 }],
      service_tier: 'standard',
      speed: 'fast',
      inference_geo: 'us',
    },
  },
  'openai-chat': {
    usage: {
      prompt_tokens: 130,
      completion_tokens: 50,
      total_tokens: 180,
      prompt_tokens_details: {
        cached_tokens: 20,
        cache_creation_tokens: 10,
        cache_creation_token_details: { ephemeral_1h_input_tokens: 3 },
      },
      completion_tokens_details: { reasoning_tokens: 5, image_tokens: 4 },
      server_tool_use_details: { web_search_requests: 1 },
    },
    beside: { service_tier: 'default' },
  },
  'openai-responses': {
    usage: {
      input_tokens: 130,
      output_tokens: 50,
      input_tokens_details: {
        cached_tokens: 20,
        cache_creation_tokens: 10,
        cache_creation_token_details: { ephemeral_1h_input_tokens: 3 },
      },
      output_tokens_details: { reasoning_tokens: 5 },
      server_tool_use_details: { web_search_requests: 1 },
    },
    beside: { service_tier: 'default', tool_usage: { image_gen: { input_tokens: 2, output_tokens: 4 } } },
  },
  'cohere-chat': {
    usage: {
      billed_units: { input_tokens: 100, output_tokens: 50 },
      tokens: { input_tokens: 110, output_tokens: 55, reasoning_tokens: 5 },
      cached_tokens: 20,
    },
  },
  'google-gemini': {
    usage: {
      promptTokenCount: 120,
      candidatesTokenCount: 45,
      thoughtsTokenCount: 5,
      cachedContentTokenCount: 20,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 4 }],
      trafficType: 'ON_DEMAND',
    },
    beside: {
      groundingMetadata: { webSearchQueries: ['one'] },
      urlContextMetadata: {
        urlMetadata: [{ retrievedUrl: 'https://x.test', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' }],
      },
    },
  },
  'bedrock-converse': {
    usage: {
      inputTokens: 100,
      outputTokens: 50,
      totalTokens: 180,
      cacheReadInputTokens: 20,
      cacheWriteInputTokens: 10,
      cacheDetails: [{ ttl: '1h', inputTokens: 3 }],
    },
    beside: { serviceTier: { type: 'default' } },
  },
};

describe.each(SPOKEN)('usage of %s', (id) => {
  const { usage: figures } = replyOf(decode(id, { parts: [TEXTS[id]], ...REPORTS[id] }));

  it.each(Object.entries(FIGURES) as [UsageClass, keyof Usage][])('%s', (kind, figure) => {
    expect(figures[figure] !== undefined).toBe(DIALECTS[id].table.usage[kind].rule.type === 'mapped');
  });
});

const USAGE_PATHS = SPOKEN.flatMap((id) =>
  Object.entries(DIALECTS[id].table.usage).flatMap(([kind, { paths = [] }]) =>
    paths.map((path) => [id, kind as UsageClass, path] as const),
  ),
);

/** The figure of a class where the usage contains, besides input and output, only this figure at this path. */
function figureAt(id: Spoken, kind: UsageClass, path: string, figure: number): Usage[keyof Usage] {
  const { input, output } = DIALECTS[id].table.usage;
  const { paths } = DIALECTS[id].table.usage[kind];
  const figures: (readonly [string, number])[] = [
    [input.paths![0]!, 100],
    [output.paths![0]!, 50],
  ];
  const usage = [...figures.filter(([other]) => !paths!.includes(other)), [path, figure] as const].reduce<JsonObject>(
    (report, [path, value]) => withFigureAt(report, path.split('.'), value),
    {},
  );
  return replyOf(decode(id, { parts: [TEXTS[id]], usage })).usage[FIGURES[kind]];
}

function withFigureAt(report: JsonObject, [key, ...inner]: readonly string[], figure: number): JsonObject {
  const within = (report[key!] ?? {}) as JsonObject;
  return { ...report, [key!]: inner.length === 0 ? figure : withFigureAt(within, inner, figure) };
}

describe('figures', () => {
  it.each(USAGE_PATHS)('%s reads %s at %s', (id, kind, path) => {
    expect(figureAt(id, kind, path, 3)).not.toEqual(figureAt(id, kind, path, 4));
  });

  it.each(USAGE_PATHS)('%s goes by the row of %s, at %s', (id, kind, path) => {
    const rows = DIALECTS[id].table.usage;
    withRow(rows, kind, { ...rows[kind], rule: dropped() }, () => {
      expect(figureAt(id, kind, path, 3)).toEqual(figureAt(id, kind, path, 4));
    });
  });
});
