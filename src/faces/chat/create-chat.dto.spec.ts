// Every field of docs/use/chat.md#request-fields is validated exactly, and refused with its path and reason. A
// complete body is accepted; each field is tried null, with wrong types, at and past its limits.
import 'reflect-metadata';
import { DtoRules } from '../../shared/http/dto-rules.js';
import { readBody } from '../../shared/http/dto.pipe.js';
import { CreateChatDto } from './create-chat.dto.js';

const MESSAGES = [{ role: 'user', content: 'a' }];
const BODY = { model: 'm', messages: MESSAGES };

function refusalOf(body: object): string | undefined {
  try {
    readBody(body, CreateChatDto);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const repeat = (length: number): string => 'x'.repeat(length);
const pairs = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));
const tool = (more: object): object[] => [{ type: 'function', function: { name: 'f', ...more } }];
const schemaFormat = (more: object): object => ({ type: 'json_schema', json_schema: { name: 'a', ...more } });

/** Values that a field accepts. */
const TAKEN: Readonly<Record<string, readonly unknown[]>> = {
  model: ['', 'a'],
  models: [[], ['a', 'b']],
  provider: [{}, { order: ['a'], sort: { by: 'price', partition: 'none' }, max_price: { prompt: 1 } }],
  plugins: [[], [{ id: 'web' }]],
  route: ['fallback', 'sort'],
  session_id: ['', repeat(256)],
  stop_server_tools_when: [[{ type: 'step_count_is', step_count: 1 }]],
  max_tool_calls: [1, 1_000],
  trace: [{}, { trace_id: 'a', other: 1 }],
  cache_control: [{ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }],
  user: ['', repeat(5_000)],
  metadata: [{}, pairs(16), { [repeat(64)]: repeat(512) }],
  stream: [true, false],
  stream_options: [{}, { include_usage: null }, { include_usage: true }],
  max_completion_tokens: [1, 1_000_000],
  max_tokens: [1],
  temperature: [0, 0.5, 2],
  top_p: [0, 1],
  top_k: [0, 40],
  top_a: [0.5],
  min_p: [0.5],
  repetition_penalty: [1.5],
  frequency_penalty: [-2, 2],
  presence_penalty: [-2, 2],
  seed: [0, -1, 2 ** 40],
  stop: ['a', [], ['a', 'b', 'c', 'd']],
  logit_bias: [{}, { '50256': -100 }],
  logprobs: [true],
  top_logprobs: [0, 20],
  n: [1],
  response_format: [
    { type: 'text' },
    { type: 'json_object' },
    schemaFormat({ name: repeat(64), description: 'd', schema: {}, strict: null }),
    { type: 'grammar', grammar: 'g' },
    { type: 'python' },
  ],
  reasoning: [{}, { effort: 'none', summary: 'auto', enabled: true, max_tokens: 1, exclude: false }, { effort: null }],
  reasoning_effort: ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none'],
  include_reasoning: [true, false],
  verbosity: ['low', 'medium', 'high', 'xhigh', 'max'],
  service_tier: ['auto', 'default', 'flex', 'priority', 'scale', 'fast'],
  speed: ['standard', 'fast'],
  inference_geo: ['us', 'global'],
  modalities: [[], ['text', 'image', 'audio']],
  image_config: [{ any: 1 }],
  tools: [
    [],
    tool({ name: repeat(64), description: null, parameters: {}, strict: true }),
    [{ type: 'openrouter:web_search' }, { type: 'openrouter:advisor', parameters: {} }, { type: 'web_search_preview' }],
    [
      {
        type: 'web_search',
        filters: { allowed_domains: ['a.example'], blocked_domains: null },
        search_context_size: 'low',
      },
      { type: 'web_search_2025_08_26', filters: null, user_location: null, parameters: { max_results: 25 } },
      { type: 'web_search', engine: 'searxng', max_results: 25, anything: 1 },
      { type: 'web_search', cache_control: { type: 'ephemeral' } },
      { type: 'openrouter:datetime', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'openrouter:anything', cache_control: { type: 'ephemeral', ttl: '5m' } },
      { type: 'openrouter:anything', cache_control: null },
      { type: 'function', function: { name: 'f' }, cache_control: null },
    ],
  ],
  web_search_options: [
    {},
    { search_context_size: 'high', user_location: { type: 'approximate', approximate: { city: 'a' } } },
    { search_context_size: null, user_location: null, other: 1 },
  ],
  tool_choice: [
    'none',
    'auto',
    'required',
    { type: 'function', function: { name: 'f' } },
    { type: 'openrouter:web_search' },
  ],
  parallel_tool_calls: [true, false],
  prompt_cache_key: ['', repeat(1_000)],
  preset: ['a'],
  preset_variables: [{}, { who: 'x' }],
  transforms: [[], ['middle-out']],
  usage: [{ include: true }],
  debug: [{}, { echo_upstream_body: true }, { echo_upstream_body: null }],
  functions: [],
  function_call: [],
  store: [true, 'anything'],
};

/** Field, value, error message. */
const REFUSED: readonly [string, unknown, string][] = [
  ['model', 1, 'model: must be a string'],
  ['models', 'a', 'models: must be an array'],
  ['models', [1], 'models.0: must be a string'],
  ['provider', { owl: 1 }, 'provider.owl: is not a known field'],
  ['provider', { sort: 'owl' }, 'provider.sort: must be one of price, throughput, latency, exacto'],
  ['route', 'owl', 'route: must be one of fallback, sort, null'],
  ['session_id', repeat(257), 'session_id: must be at most 256 characters'],
  ['stop_server_tools_when', [], 'stop_server_tools_when: must have at least 1 entry'],
  ['max_tool_calls', 0, 'max_tool_calls: must be at least 1'],
  ['max_tool_calls', 'a', 'max_tool_calls: must be an integer'],
  ['trace', { trace_id: 1 }, 'trace.trace_id: must be a string'],
  ['cache_control', { type: 'ephemeral', ttl: '2h' }, 'cache_control.ttl: must be one of 5m, 1h'],
  ['user', 1, 'user: must be a string'],
  ['metadata', pairs(17), 'metadata: must have at most 16 entries'],
  ['metadata', { [repeat(65)]: 'a' }, `metadata.${repeat(64)}…: its name must be at most 64 characters`],
  ['metadata', { a: repeat(513) }, 'metadata.a: must be at most 512 characters'],
  ['metadata', { a: 1 }, 'metadata.a: must be a string'],
  ['stream', 'true', 'stream: must be a boolean'],
  ['stream_options', true, 'stream_options: must be an object'],
  ['max_completion_tokens', 0, 'max_completion_tokens: must be at least 1'],
  ['max_completion_tokens', 1.5, 'max_completion_tokens: must be an integer'],
  ['max_tokens', '1', 'max_tokens: must be an integer'],
  ['temperature', -0.1, 'temperature: must be at least 0'],
  ['temperature', 2.01, 'temperature: must be at most 2'],
  ['top_p', 1.01, 'top_p: must be at most 1'],
  ['top_k', 1.5, 'top_k: must be an integer'],
  ['top_a', '1', 'top_a: must be a number'],
  ['frequency_penalty', -2.1, 'frequency_penalty: must be at least -2'],
  ['presence_penalty', 2.1, 'presence_penalty: must be at most 2'],
  ['seed', 1.5, 'seed: must be an integer'],
  ['stop', ['a', 'b', 'c', 'd', 'e'], 'stop: must have at most 4 entries'],
  ['stop', 1, 'stop: must be a string or an array'],
  ['logit_bias', { a: 'b' }, 'logit_bias.a: must be a number'],
  ['logprobs', 1, 'logprobs: must be a boolean'],
  ['top_logprobs', 21, 'top_logprobs: must be at most 20'],
  ['top_logprobs', -1, 'top_logprobs: must be at least 0'],
  ['n', 2, 'n: must be at most 1'],
  ['response_format', { type: 'owl' }, 'response_format.type: must be one of text, json_object, json_schema, grammar, python'],
  ['response_format', schemaFormat({ name: repeat(65) }), 'response_format.json_schema.name: must be at most 64 characters'],
  ['response_format', { type: 'json_schema' }, 'response_format.json_schema: is required'],
  ['reasoning', { effort: 'owl' }, 'reasoning.effort: must be one of none, minimal, low, medium, high, xhigh, max, null'],
  ['reasoning', { max_tokens: 0 }, 'reasoning.max_tokens: must be at least 1'],
  ['reasoning', { summary: 'long' }, 'reasoning.summary: must be one of auto, concise, detailed, null'],
  ['reasoning_effort', 'owl', 'reasoning_effort: must be one of none, minimal, low, medium, high, xhigh, max'],
  ['verbosity', 'owl', 'verbosity: must be one of low, medium, high, xhigh, max'],
  ['image_config', 'owl', 'image_config: must be an object'],
  ['debug', { echo_upstream_body: 1 }, 'debug.echo_upstream_body: must be a boolean or null'],
  ['service_tier', 'owl', 'service_tier: must be one of auto, default, flex, priority, scale, fast'],
  ['speed', 'owl', 'speed: must be one of standard, fast'],
  ['inference_geo', 1, 'inference_geo: must be a string'],
  ['modalities', ['owl'], 'modalities.0: must be one of text, image, audio'],
  ['tools', tool({ name: repeat(65) }), 'tools.0.function.name: must be at most 64 characters'],
  ['tools', [{ type: 'function' }], 'tools.0.function: is required'],
  ['tools', tool({ strict: 1 }), 'tools.0.function.strict: must be a boolean or null'],
  ['tools', [{ type: 'openrouter:web_search', parameters: { max_results: 26 } }], 'tools.0.parameters.max_results: must be at most 25'],
  ['tools', [{ type: 'web_search', max_results: 26 }], 'tools.0.max_results: must be at most 25'],
  ['tools', [{ type: 'web_search', engine: 'perplexity', max_results: 21 }], 'tools.0.max_results: must be at most 20'],
  ['tools', [{ type: 'web_search', engine: 'parallel', allowed_domains: [], excluded_domains: [] }], 'tools.0.excluded_domains: cannot be combined with allowed_domains at this engine'],
  ['tools', [{ type: 'web_search', search_context_size: 'owl' }], 'tools.0.search_context_size: must be one of low, medium, high'],
  ['tools', [{ type: 'web_search_preview', filters: { allowed_domains: 'a' } }], 'tools.0.filters.allowed_domains: must be an array or null'],
  ['tools', [{ type: 'web_search_preview', parameters: { max_uses: -1 } }], 'tools.0.parameters.max_uses: must be at least 0'],
  ['tools', [{ type: 'openrouter:advisor', parameters: { max_uses: 'x' } }], 'tools.0.parameters.max_uses: must be an integer'],
  ['tools', [{ type: 'web_search', cache_control: 'x' }], 'tools.0.cache_control: must be an object or null'],
  ['tools', [{ type: 'web_search', engine: 'perplexity', cache_control: { type: 'bad' } }], 'tools.0.cache_control.type: must be ephemeral'],
  ['tools', [{ type: 'openrouter:web_search', cache_control: { type: 'bad' } }], 'tools.0.cache_control.type: must be ephemeral'],
  ['tools', [{ type: 'openrouter:datetime', cache_control: { type: 'ephemeral', ttl: '2h' } }], 'tools.0.cache_control.ttl: must be one of 5m, 1h'],
  ['web_search_options', true, 'web_search_options: must be an object'],
  ['web_search_options', { search_context_size: 'owl' }, 'web_search_options.search_context_size: must be one of low, medium, high, null'],
  ['tool_choice', 'owl', 'tool_choice: must be one of none, auto, required, any'],
  ['tool_choice', { type: 'function' }, 'tool_choice.function: is required'],
  ['tool_choice', {}, 'tool_choice.type: is required'],
  ['parallel_tool_calls', 1, 'parallel_tool_calls: must be a boolean'],
  ['transforms', 'a', 'transforms: must be an array'],
  ['functions', [], 'functions: is not supported; send tools and tool_choice'],
  ['function_call', 'auto', 'function_call: is not supported; send tools and tool_choice'],
  ['messages', [{ role: 'user' }], 'messages.0.content: is required'],
  ['messages', [{ role: 'user', content: null }], 'messages.0.content: must be a string or an array'],
  ['messages', [{ role: 'user', content: [] }], 'messages.0.content: must have at least 1 entry'],
  ['messages', [{ role: 'user', content: [{ type: 'text' }] }], 'messages.0.content.0.text: is required'],
  ['messages', [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'a' } }] }], 'messages.0.content.0.type: must be one of text'],
  ['messages', [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'a', detail: 'x' } }] }], 'messages.0.content.0.image_url.detail: must be one of auto, low, high, original'],
  ['messages', [{ role: 'tool', content: 'a' }], 'messages.0.tool_call_id: is required'],
  ['messages', [{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f' } }] }], 'messages.0.tool_calls.0.function.arguments: is required'],
  ['messages', [{ role: 'assistant', audio: { id: 'a' } }], 'messages.0.audio: cannot be replayed: its sound is kept by the vendor that made it'],
  ['messages', [{ role: 'assistant', function_call: {} }], 'messages.0.function_call: is not supported; send tool_calls'],
  ['messages', [{ role: 'assistant', reasoning_details: [{}] }], 'messages.0.reasoning_details.0.type: is required'],
]; // oxfmt-ignore

const taken = Object.entries(TAKEN).flatMap(([name, values]) =>
  values.map((value): [string, string, unknown] => [JSON.stringify(value).slice(0, 60), name, value]),
);

it.each(taken)('accepts %s as %s', (_text, name, value) => {
  expect(refusalOf({ ...BODY, [name]: value })).toBeUndefined();
});

it.each(Object.keys(TAKEN).filter((name) => name !== 'model'))('accepts null for %s as absent', (name) => {
  expect(refusalOf({ ...BODY, [name]: null })).toBeUndefined();
});

it.each(REFUSED)('refuses %s: %j', (name, value, complaint) => {
  expect(refusalOf({ ...BODY, [name]: value })).toBe(complaint);
});

// Repeats `shared/http/maxima.ts`, so that a changed maximum is noticed.
it.each<[string, number, object]>([
  ['messages', 20_000, MESSAGES[0]!],
  ['tools', 10_000, tool({})[0]!],
])('takes as many %s as %i, and no more', (name, most, entry) => {
  const entries = Array<object>(most).fill(entry);
  expect(refusalOf({ ...BODY, [name]: entries })).toBeUndefined();
  expect(refusalOf({ ...BODY, [name]: [...entries, entry] })).toBe(`${name}: must have at most ${most} entries`);
});

it.each(['model', 'messages'])('requires %s', (name) => {
  expect(refusalOf({ ...BODY, [name]: undefined })).toBe(`${name}: is required`);
  expect(refusalOf({ ...BODY, [name]: null })).toMatch(new RegExp(`^${name}: must be `));
});

it('accepts every form of message', () => {
  const messages = [
    { role: 'system', content: 'a', name: 'n' },
    { role: 'developer', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'https://a.test', detail: 'original' } },
        { type: 'input_audio', input_audio: { data: 'a', format: 'wav' } },
        { type: 'video_url', video_url: { url: 'a' } },
        { type: 'input_video', video_url: { url: 'a' } },
        { type: 'file', file: { file_data: 'a', file_id: 'b', filename: 'c' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      reasoning: null,
      audio: null,
      function_call: null,
      annotations: [],
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'a', id: null, format: 'b', index: 0 }],
      images: [{ type: 'image_url', image_url: { url: 'a' } }],
      tool_calls: [{ id: 'a', type: 'function', index: 0, function: { name: 'f', arguments: '' } }],
    },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'a' }] },
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'a' }] },
  ];
  expect(refusalOf({ ...BODY, messages })).toBeUndefined();
});

it('has a row for each of its fields', () => {
  const { store: _notDeclared, ...rows } = TAKEN;
  expect([...Object.keys(rows), 'messages'].sort()).toEqual([...DtoRules.of(CreateChatDto).fields].sort());
});
