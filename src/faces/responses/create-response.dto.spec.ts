// Every field of docs/use/responses.md#request-fields is validated exactly, and refused with its path and reason. Each
// field is tried null, with wrong types, at and past its limits; items and tools of every kind likewise.
import 'reflect-metadata';
import { DtoRules } from '../../shared/http/dto-rules.js';
import { readBody } from '../../shared/http/dto.pipe.js';
import { CreateResponseDto } from './create-response.dto.js';

const BODY = { model: 'm', input: 'a' };

function refusalOf(body: object): string | undefined {
  try {
    readBody(body, CreateResponseDto);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const repeat = (length: number): string => 'x'.repeat(length);
const pairs = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));
const format = (more: object): object => ({ format: { type: 'json_schema', name: 'n', ...more } });

/** Values that a field accepts. */
const TAKEN: Readonly<Record<string, readonly unknown[]>> = {
  model: ['', 'a'],
  models: [[], ['a', 'b']],
  input: ['', 'a', [{ role: 'user', content: 'a' }]],
  instructions: ['', 'Be brief.'],
  stream: [true, false],
  max_output_tokens: [1, 1_000_000],
  temperature: [0, 2],
  top_p: [0, 1],
  top_k: [-1, 40],
  frequency_penalty: [-2, 2],
  presence_penalty: [-2, 2],
  min_p: [0.5],
  top_logprobs: [0, 20],
  reasoning: [
    {},
    { effort: 'xhigh', summary: 'auto', enabled: true, max_tokens: 1 },
    { effort: null, summary: null, generate_summary: 'concise', context: 'auto', mode: 'standard' },
  ],
  text: [
    {},
    { format: { type: 'text' }, verbosity: 'low' },
    format({ schema: {}, strict: null }),
    format({ description: 'd' }),
  ],
  include: [[], ['reasoning.encrypted_content', 'web_search_call.action.sources']],
  truncation: ['auto', 'disabled'],
  tools: [
    [],
    [{ type: 'function', name: 'f', parameters: null, strict: null, defer_loading: false, async: false }],
    [{ type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'lark', definition: 'd' } }],
    [
      {
        type: 'namespace',
        name: 'n',
        description: 'd',
        tools: [
          { type: 'function', name: 'f' },
          { type: 'custom', name: 'c' },
        ],
      },
    ],
    [{ type: 'local_shell' }, { type: 'shell' }, { type: 'apply_patch' }],
    [{ type: 'web_search', filters: { allowed_domains: ['a.example'] }, search_context_size: 'low' }],
    [{ type: 'web_search_preview' }, { type: 'web_search_2025_08_26' }, { type: 'openrouter:datetime' }],
    [{ type: 'image_generation', quality: 'low' }, { type: 'mcp', server_label: 's' }, { type: 'file_search' }],
  ],
  tool_choice: [
    'none',
    'auto',
    'required',
    { type: 'function', name: 'f' },
    { type: 'custom', name: 'c', namespace: 'n' },
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }, { type: 'shell' }] },
    { type: 'web_search_preview' },
    { type: 'shell' },
    { type: 'apply_patch' },
    { type: 'openrouter:datetime' },
  ],
  parallel_tool_calls: [true, false],
  max_tool_calls: [1, 30],
  stop_server_tools_when: [[{ type: 'step_count_is', step_count: 1 }]],
  provider: [{}, { order: ['a'] }],
  plugins: [[], [{ id: 'web' }]],
  route: ['fallback', 'sort'],
  session_id: ['', repeat(256)],
  prompt_cache_key: ['k', repeat(300)],
  user: ['', repeat(5_000)],
  safety_identifier: ['s'],
  metadata: [{}, pairs(16), { [repeat(64)]: repeat(512) }],
  trace: [{ trace_id: 'a', other: 1 }],
  cache_control: [{ type: 'ephemeral', ttl: '1h' }],
  service_tier: ['auto', 'default', 'flex', 'priority', 'scale', 'fast'],
  modalities: [[], ['text', 'image']],
  image_config: [{ any: 1 }],
  preset: ['p'],
  preset_variables: [{ who: 'x' }],
  debug: [{ echo_upstream_body: true }],
  store: [false],
  background: [false],
  previous_response_id: [],
  conversation: [],
  prompt: [],
  messages: [],
};

it('names every declared field', () => {
  expect(Object.keys(TAKEN).toSorted()).toEqual([...DtoRules.of(CreateResponseDto).fields].toSorted());
});

it.each(Object.entries(TAKEN).flatMap(([field, values]) => values.map((value) => [field, value] as const)))(
  'accepts %s: %j',
  (field, value) => {
    expect(refusalOf({ ...BODY, [field]: value })).toBeUndefined();
  },
);

it.each(Object.keys(TAKEN).filter((field) => field !== 'input'))('takes null for absence: %s', (field) => {
  expect(refusalOf({ ...BODY, [field]: null })).toBeUndefined();
});

const KEPT = 'the gateway keeps no responses; send the whole conversation in input';

it.each<[string, unknown, string]>([
  ['model', 1, 'model: must be a string'],
  ['models', Array(65).fill('a'), 'models: must have at most 64 entries'],
  ['input', null, 'input: must be a string or an array'],
  ['input', 1, 'input: must be a string or an array'],
  ['input', [], 'input: must have at least 1 entry'],
  ['instructions', 1, 'instructions: must be a string'],
  ['stream', 'yes', 'stream: must be a boolean'],
  ['max_output_tokens', 0, 'max_output_tokens: must be at least 1'],
  ['max_output_tokens', 1.5, 'max_output_tokens: must be an integer'],
  ['temperature', 2.1, 'temperature: must be at most 2'],
  ['top_p', -0.1, 'top_p: must be at least 0'],
  ['top_logprobs', 21, 'top_logprobs: must be at most 20'],
  ['reasoning', { effort: 'extreme' }, 'reasoning.effort: must be one of none, minimal, low, medium, high, xhigh, max, null'],
  ['text', { format: { type: 'xml' } }, 'text.format.type: must be one of text, json_object, json_schema, grammar'],
  ['text', { format: { type: 'json_schema' } }, 'text.format.name: is required'],
  ['include', ['everything'], 'include.0: must be one of reasoning.encrypted_content, message.output_text.logprobs, file_search_call.results, web_search_call.results, web_search_call.action.sources, message.input_image.image_url, computer_call_output.output.image_url, code_interpreter_call.outputs'],
  ['metadata', pairs(17), 'metadata: must have at most 16 entries'],
  ['metadata', { a: repeat(513) }, 'metadata.a: must be at most 512 characters'],
  ['session_id', repeat(257), 'session_id: must be at most 256 characters'],
  ['max_tool_calls', 0, 'max_tool_calls: must be at least 1'],
  ['store', true, `store: must be false: ${KEPT}`],
  ['store', 'no', `store: must be false: ${KEPT}`],
  ['previous_response_id', 'resp_1', `previous_response_id: must be null: ${KEPT}`],
  ['background', true, 'background: must be false: the gateway answers at once; send stream for long answers'],
  ['prompt', { id: 'p' }, 'prompt: is not supported: the gateway keeps no prompts; send their text in input'],
  ['conversation', 'c', 'conversation: is not supported: the gateway keeps no conversations; send all of it in input'],
  ['messages', [], 'messages: belongs to other formats; send input'],
  ['tools', [{ type: 'function' }], 'tools.0.name: is required'],
  ['tools', [{ type: 'function', name: '' }], 'tools.0.name: must be at least 1 character'],
  ['tools', [{ type: 'function', name: repeat(129) }], 'tools.0.name: must be at most 128 characters'],
  ['tools', [{ type: 'function', name: 'f', async: true }], 'tools.0.async: must be false: results are awaited'],
  ['tools', [{ type: 'function', function: { name: 'f' } }], 'tools.0: is a tool of the chat format; responses have {"type": "function", "name": …, "description": …, "parameters": {"type": "object", …}}'],
  ['tools', [{ name: 'f', input_schema: {} }], 'tools.0: is a tool of the Messages format; responses have {"type": "function", "name": …, "description": …, "parameters": {"type": "object", …}}'],
  ['tools', [{ type: 'namespace', name: 'n', tools: [{ type: 'shell' }] }], 'tools.0.tools.0.type: must be one of function, custom'],
  ['tool_choice', { type: 'function' }, 'tool_choice.name: is required'],
  ['tool_choice', { type: 'allowed_tools', tools: [] }, 'tool_choice.mode: is required'],
])('refuses %s: %j', (field, value, message) => {
  expect(refusalOf({ ...BODY, [field]: value })).toBe(message);
}); // oxfmt-ignore

/** Items that are accepted. */
const ITEMS: readonly object[] = [
  { role: 'user', content: 'a' },
  { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'a', prompt_cache_breakpoint: null }] },
  { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', phase: null, content: [{ type: 'output_text', text: 'a', annotations: [], logprobs: [] }, { type: 'refusal', refusal: 'no' }] },
  { role: 'assistant', content: null },
  { role: 'user', content: [{ type: 'input_image', image_url: 'https://a.test/a.png', detail: 'auto' }, { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERg==', filename: 'a.pdf' }, { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }, { type: 'input_video', video_url: 'https://a.test/a.mp4' }] },
  { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', id: 'fc_1', status: 'completed' },
  { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'a' }] },
  { type: 'custom_tool_call', call_id: 'c', name: 'f', input: '' },
  { type: 'custom_tool_call_output', call_id: 'c', output: '' },
  { type: 'shell_call', call_id: 'c', action: { commands: ['ls'], timeout_ms: null, max_output_length: 5 }, status: 'completed' },
  { type: 'shell_call_output', call_id: 'c', output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] },
  { type: 'local_shell_call', id: 'i', call_id: 'c', action: { type: 'exec', command: ['ls'], env: {} }, status: 'completed' },
  { type: 'local_shell_call_output', id: 'i', output: 'a' },
  { type: 'apply_patch_call', call_id: 'c', operation: { type: 'delete_file', path: 'a' }, status: 'completed' },
  { type: 'apply_patch_call_output', call_id: 'c', status: 'completed', output: null },
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a' }], encrypted_content: null },
  { type: 'reasoning', summary: [], content: null, encrypted_content: 'gAAAA', format: 'openai-responses-v1', signature: null },
  { type: 'image_generation_call', id: 'ig_1', result: null, status: 'completed' },
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
  { type: 'openrouter:datetime', datetime: '', timezone: 'UTC', status: 'completed' },
  { type: 'compaction', encrypted_content: 'e' },
  { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'f' }] },
  { type: 'configuration_update', reasoning: { effort: 'low' } },
]; // oxfmt-ignore

it.each(ITEMS)('accepts the item %j', (item) => {
  expect(refusalOf({ ...BODY, input: [item] })).toBeUndefined();
});

it.each<[unknown, string]>([
  [1, 'input.0: must be an object'],
  [{ role: 'tool', content: 'a' }, 'input.0.role: must be one of user, assistant, system, developer'],
  [{ content: 'a' }, 'input.0.role: is required'],
  [{ role: 'user', content: [{ type: 'text', text: 'a' }] }, 'input.0.content.0.type: must be one of input_text, input_image, input_file, input_audio, input_video, output_text, refusal'],
  [{ role: 'user', content: [{ type: 'input_text' }] }, 'input.0.content.0.text: is required'],
  [{ type: 'function_call', name: 'f', arguments: '{}' }, 'input.0.call_id: is required'],
  [{ type: 'function_call', call_id: null, name: 'f', arguments: '{}' }, 'input.0.call_id: must be a string'],
  [{ type: 'function_call', call_id: 'c', name: 'f', arguments: {} }, 'input.0.arguments: must be a string'],
  [{ type: 'function_call_output', call_id: 'c' }, 'input.0.output: is required'],
  [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'output_text', text: '' }] }, 'input.0.output.0.type: must be one of input_text, input_image, input_file; did you mean input_text?'],
  [{ type: 'item_reference', id: 'msg_1' }, 'input.0.id: cannot be resolved: the gateway keeps no items; send the item itself'],
  [{ type: 'agent_message', author: 'a', content: [], recipient: 'b' }, 'input.0.author: is not supported: send a message'],
  [{ type: 'shell_call', call_id: 'c', action: {} }, 'input.0.action.commands: is required'],
  [{ type: 'apply_patch_call', call_id: 'c', operation: { type: 'move_file', path: 'a' } }, 'input.0.operation.type: must be one of create_file, update_file, delete_file'],
])('refuses the item %j', (item, message) => {
  expect(refusalOf({ ...BODY, input: [item] })).toBe(message);
}); // oxfmt-ignore

it('names the kinds of items', () => {
  expect(refusalOf({ ...BODY, input: [{ type: 'functon_call' }] })).toMatch(
    /^input\.0\.type: must be one of message, /,
  );
});

it('bounds the number of items before it reads any', () => {
  const input = Array(100_001).fill({ role: 'user', content: 'a' });
  expect(refusalOf({ ...BODY, input })).toBe('input: must have at most 100000 entries');
  expect(refusalOf({ ...BODY, input: Array(1_000_000).fill(null) })).toBe('input: must have at most 100000 entries');
});
