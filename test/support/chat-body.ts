import { CACHE, STOP_CONDITIONS } from './message-body.js';

const PNG = 'data:image/png;base64,AAAA';
const PDF = `data:application/pdf;base64,${Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')}`;
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };
const text = (words: string) => ({ type: 'text', text: words, cache_control: CACHE });

/**
 * A body of `POST /chat/completions` with every field, part and variant of docs/use/chat.md#request-fields that can be
 * combined. Copy it before changing it.
 */
export const FULL_CHAT_BODY = {
  model: 'm',
  models: ['a'],
  messages: [
    { role: 'system', content: 'a', name: 'b' },
    { role: 'developer', content: [text('a')] },
    {
      role: 'user',
      name: 'a',
      content: [
        text('a'),
        { type: 'image_url', image_url: { url: PNG, detail: 'low' }, cache_control: CACHE },
        { type: 'image_url', image_url: { url: 'https://images.test/a.png', detail: 'original' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
        { type: 'input_video', video_url: { url: 'https://videos.test/a.mp4' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: PDF }, cache_control: CACHE },
        { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' } },
        { type: 'file', file: { file_id: 'file_1' } },
      ],
    },
    {
      role: 'assistant',
      name: 'a',
      content: [
        { type: 'text', text: 'a' },
        { type: 'refusal', refusal: 'b' },
      ],
      reasoning: 'a',
      reasoning_details: [
        { type: 'reasoning.text', text: 'a', signature: 'b', format: 'anthropic-claude-v1', index: 0, id: 'c' },
        { type: 'reasoning.summary', summary: 'a', format: 'other', index: 1 },
        { type: 'reasoning.encrypted', data: 'a', format: null, index: 2 },
        { type: 'reasoning.server_tool_call', index: 3 },
      ],
      refusal: 'a',
      images: [{ type: 'image_url', image_url: { url: PNG } }],
      audio: null,
      function_call: null,
      tool_calls: [
        { id: 'a', type: 'function', index: 0, function: { name: 'a', arguments: '{"a":1}' } },
        { id: 'b', type: 'function', function: { name: 'b', arguments: '' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', name: 'a', content: 'a' },
    {
      role: 'tool',
      tool_call_id: 'b',
      content: [
        text('a'),
        { type: 'image_url', image_url: { url: PNG } },
        { type: 'file', file: { filename: 'a.pdf', file_data: PDF } },
      ],
    },
    { role: 'system', content: [text('a')] },
    { role: 'user', content: 'a' },
  ],
  provider: { order: ['a'], allow_fallbacks: true, sort: { by: 'price', partition: 'none' }, max_price: { prompt: 9 } },
  plugins: [{ id: 'context-compression', enabled: false }],
  route: 'fallback',
  session_id: 'a',
  stop_server_tools_when: STOP_CONDITIONS,
  max_tool_calls: 5,
  trace: { trace_id: 'a', trace_name: 'b', other: 1 },
  cache_control: CACHE,
  user: 'a',
  metadata: { a: 'b' },
  stream: true,
  stream_options: { include_usage: true },
  max_completion_tokens: 50,
  max_tokens: 50,
  temperature: 0.5,
  top_p: 0.5,
  top_k: 1,
  top_a: 0.5,
  min_p: 0.5,
  repetition_penalty: 1.5,
  frequency_penalty: -2,
  presence_penalty: 2,
  seed: 7,
  stop: ['a', ''],
  logit_bias: { '50256': -100 },
  logprobs: true,
  top_logprobs: 1,
  n: 1,
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'a', description: 'b', schema: SCHEMA, strict: true },
  },
  reasoning: { effort: 'low', summary: 'auto', enabled: true, max_tokens: 1_024, exclude: false },
  reasoning_effort: 'low',
  include_reasoning: true,
  verbosity: 'low',
  service_tier: 'flex',
  modalities: ['text'],
  image_config: { aspect_ratio: '1:1' },
  tools: [
    {
      type: 'function',
      function: { name: 'a', description: 'b', parameters: SCHEMA, strict: true },
      cache_control: CACHE,
    },
    { type: 'function', function: { name: 'b' } },
    { type: 'openrouter:web_search', parameters: { max_results: 1 } },
    { type: 'web_search_preview' },
  ],
  tool_choice: { type: 'function', function: { name: 'a' } },
  parallel_tool_calls: false,
  prompt_cache_key: 'a',
  preset: 'a',
  transforms: ['middle-out'],
  usage: { include: true },
  debug: { echo_upstream_body: true },
  functions: null,
  function_call: null,
  store: false,
} as const;
