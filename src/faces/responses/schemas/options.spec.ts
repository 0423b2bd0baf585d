// Every top-level field of `POST /responses` beside `input` is validated exactly: absent, null, of each wrong type, at
// its bounds and one beyond. A table of the fields of one valid body, which tests compare with the body, and with the
// declared fields, so that no field is left out.
import 'reflect-metadata';
import {
  ANY,
  COUNT,
  field,
  fixed,
  FLAG,
  NAME,
  OBJECT,
  one,
  OPTIONS_MAX,
  tag,
  TEXT,
  TEXT_OR_LIST,
  texts,
  thing,
  undescribed,
  verdictsOn,
  WORD,
  type Field,
  type Kind,
  type Subject,
} from '../../../../test/support/field-cases.js';
import { DtoRules } from '../../../shared/http/dto-rules.js';
import { readBody } from '../../../shared/http/dto.pipe.js';
import { CreateResponseDto } from '../create-response.dto.js';

const ID: Kind = { type: 'string', max: 16_384 };
const TOOLS_MAX = 10_000;
const TOOL_NAME: Kind = { type: 'string', min: 1, max: 128 };
const SUMMARIES = one('auto', 'concise', 'detailed');
const INCLUDED = [
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
];
const STOPS = ['step_count_is', 'has_tool_call', 'max_tokens_used', 'max_cost', 'finish_reason_is'];
const TOOL_TYPES = [
  'function', 'custom', 'namespace', 'local_shell', 'shell', 'apply_patch', 'openrouter:shell', 'openrouter:tool_search',
  'openrouter:advisor', 'openrouter:bash', 'openrouter:datetime', 'openrouter:image_generation',
  'openrouter:experimental__search_models', 'openrouter:web_fetch', 'openrouter:web_search',
]; // oxfmt-ignore
const CHOICE_TYPES = [
  'function', 'custom', 'allowed_tools', 'web_search', 'web_search_preview', 'web_search_preview_2025_03_11',
  'web_search_2025_08_26', 'image_generation', 'code_interpreter', 'file_search', 'mcp', 'computer_use_preview', 'shell',
  'local_shell', 'apply_patch',
]; // oxfmt-ignore
const KEPT = 'the gateway keeps no responses; send the whole conversation in input';
const MARKER = { type: 'ephemeral', ttl: '1h', scope: 'x' };

const TOOLS = [
  {
    type: 'function',
    name: 'f',
    description: 'd',
    parameters: {},
    output_schema: {},
    strict: true,
    defer_loading: true,
    allowed_callers: [],
    async: false,
    cache_control: { type: 'ephemeral' },
  },
  { type: 'custom', name: 'c', description: 'd', format: { type: 'text' }, defer_loading: true, allowed_callers: [], async: false }, // oxfmt-ignore
  { type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'function', name: 'g' }] },
  { type: 'shell', environment: {} },
  { type: 'image_generation', size: 's' },
];

/** Fields that mean another API, with their refusals: any value but null is refused. */
const FOREIGN = {
  conversation: 'is not supported: the gateway keeps no conversations; send all of it in input',
  prompt: 'is not supported: the gateway keeps no prompts; send their text in input',
  messages: 'belongs to other formats; send input',
};

const BODY = {
  model: 'm',
  models: ['a'],
  input: 'a',
  instructions: 'b',
  stream: false,
  max_output_tokens: 100,
  temperature: 1,
  top_p: 1,
  top_k: 1,
  min_p: 1,
  frequency_penalty: 1,
  presence_penalty: 1,
  top_logprobs: 1,
  parallel_tool_calls: true,
  max_tool_calls: 1,
  stop_server_tools_when: [
    { type: 'step_count_is', step_count: 1 },
    { type: 'has_tool_call', tool_name: 't' },
    { type: 'max_tokens_used', max_tokens: 1 },
    { type: 'max_cost', max_cost_in_dollars: 1 },
    { type: 'finish_reason_is', reason: 'r' },
  ],
  plugins: [{ id: 'response-healing', enabled: true }],
  provider: { order: ['p'] },
  route: 'sort',
  prompt_cache_key: 'k',
  metadata: { a: 'b' },
  cache_control: MARKER,
  service_tier: 'auto',
  modalities: ['text'],
  image_config: { any: 1 },
  preset: 'p',
  preset_variables: { who: 'x' },
  debug: { echo_upstream_body: true },
  user: 'u',
  safety_identifier: 's',
  session_id: 's',
  trace: {
    trace_id: 'a',
    trace_name: 'a',
    span_name: 'a',
    generation_name: 'a',
    parent_span_id: 'a',
    tags: { team: 'x' },
    other: 1,
  },
  reasoning: {
    effort: 'low',
    summary: 'auto',
    enabled: true,
    max_tokens: 1,
    generate_summary: 'auto',
    context: 'auto',
    mode: 'standard',
  },
  text: {
    format: { type: 'json_schema', name: 'n', description: 'd', schema: {}, strict: true },
    verbosity: 'low',
  },
  include: ['reasoning.encrypted_content'],
  truncation: 'auto',
  tools: TOOLS,
  tool_choice: { type: 'function', name: 'f', namespace: 'n' },
  store: false,
  background: false,
  previous_response_id: null,
};

const SAMPLING: Field[] = [
  field('stream', FLAG, '-'),
  field('max_output_tokens', { ...COUNT, min: 1 }, '-'),
  field('temperature', { type: 'number', min: 0, max: 2 }, '-'),
  field('top_p', { type: 'number', min: 0, max: 1 }, '-'),
  field('top_k', { ...COUNT, min: -1 }, '-'),
  field('min_p', { type: 'number' }, '-'),
  field('frequency_penalty', { type: 'number', min: -2, max: 2 }, '-'),
  field('presence_penalty', { type: 'number', min: -2, max: 2 }, '-'),
  field('top_logprobs', { type: 'integer', min: 0, max: 20 }, '-'),
];
const ANSWER: Field[] = [
  field('input', TEXT_OR_LIST, '!'),
  field('instructions', TEXT, '-'),
  field('modalities', { type: 'array', max: OPTIONS_MAX, filler: 'text' }, '-'),
  field('modalities.0', one('text', 'image', 'audio'), '!'),
  field('image_config', OBJECT, '-'),
  field('image_config.any', ANY),
  field('reasoning', OBJECT, '-'),
  field('reasoning.effort', one('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'), '?'),
  field('reasoning.summary', SUMMARIES, '?'),
  field('reasoning.generate_summary', SUMMARIES, '?'),
  field('reasoning.enabled', FLAG, '?'),
  field('reasoning.max_tokens', { ...COUNT, min: 1 }, '?'),
  field('reasoning.context', one('auto', 'all_turns', 'current_turn'), '?'),
  field('reasoning.mode', one('standard', 'pro'), '?'),
  field('text', OBJECT, '-'),
  field('text.verbosity', one('low', 'medium', 'high', 'xhigh', 'max'), '?'),
  field('text.format', thing('an object or null'), '?'),
  field('text.format.type', tag('text', 'json_object', 'json_schema', 'grammar'), '!'),
  field('text.format.name', { type: 'string', max: 64 }, '!'),
  field('text.format.description', TEXT, '?'),
  field('text.format.schema', OBJECT, '?'),
  field('text.format.strict', FLAG, '?'),
  field('include', { type: 'array', max: OPTIONS_MAX, filler: INCLUDED[0] }, '-'),
  field('include.0', one(...INCLUDED), '!'),
  field('truncation', one('auto', 'disabled'), '-'),
];
const ROUTING: Field[] = [
  field('model', NAME, '-'),
  ...texts('models', '-', { max: 64 }),
  field('provider', OBJECT, '?'),
  ...texts('provider.order', '?', { max: 256 }),
  field('route', one('fallback', 'sort'), '?'),
  field('plugins', { type: 'array', max: OPTIONS_MAX, filler: { id: 'response-healing' } }, '-'),
  field('plugins.0.id', tag('auto-router', 'context-compression', 'file-parser', 'fusion', 'moderation', 'pareto-router', 'response-healing', 'web', 'web-fetch'), '!'),
  field('plugins.0.enabled', FLAG),
  field('preset', NAME, '-'),
  field('preset_variables', OBJECT, '-'),
  field('preset_variables.who', { type: 'string', max: 100_000 }),
  field('service_tier', one('auto', 'default', 'flex', 'priority', 'scale', 'fast'), '-'),
]; // oxfmt-ignore
const RECORDS: Field[] = [
  field('user', ID, '-'),
  field('safety_identifier', ID, '-'),
  field('prompt_cache_key', ID, '-'),
  field('session_id', NAME, '-'),
  field('metadata', OBJECT, '-'),
  field('metadata.a', { type: 'string', max: 512 }),
  field('trace', OBJECT, '-'),
  ...['trace_id', 'trace_name', 'span_name', 'generation_name', 'parent_span_id'].map((key) =>
    field(`trace.${key}`, { type: 'string', max: 8_192 }),
  ),
  field('trace.tags', OBJECT),
  field('trace.tags.team', { type: 'string', min: 1, max: 128 }),
  field('trace.other', ANY),
  field('debug', OBJECT, '-'),
  field('debug.echo_upstream_body', FLAG, '?'),
  field('cache_control', thing('an object'), '-'),
  fixed('cache_control.type'),
  field('cache_control.ttl', one('5m', '1h')),
  field('cache_control.scope', ANY),
  field('store', { type: 'mixed', words: `false: ${KEPT}`, types: ['boolean'] }, '-'),
  field('background', { type: 'mixed', words: 'false: the gateway answers at once; send stream for long answers', types: ['boolean'] }, '-'),
  field('previous_response_id', { type: 'mixed', words: `null: ${KEPT}`, types: [] }, '-'),
]; // oxfmt-ignore

const AWAITED: Kind = { type: 'mixed', words: 'false: results are awaited', types: ['boolean'] };
const toolType = (index: number): Field => field(`tools.${index}.type`, tag(...TOOL_TYPES), '!');
const memberFields = (at: string): Field[] => [
  field(`${at}.name`, TOOL_NAME, '!'),
  field(`${at}.description`, TEXT, '?'),
  field(`${at}.defer_loading`, FLAG, '?'),
  field(`${at}.allowed_callers`, ANY),
  field(`${at}.async`, AWAITED, '-'),
];
const TOOL_FIELDS: Field[] = [
  field('parallel_tool_calls', FLAG, '-'),
  field('max_tool_calls', { ...COUNT, min: 1 }, '-'),
  field('stop_server_tools_when', { type: 'mixed', words: 'an array or an object', types: ['array', 'object'] }, '-'),
  ...STOPS.map((_, index) => field(`stop_server_tools_when.${index}.type`, tag(...STOPS), '!')),
  field('stop_server_tools_when.0.step_count', COUNT, '!'),
  field('stop_server_tools_when.1.tool_name', { ...NAME, min: 1 }, '!'),
  field('stop_server_tools_when.2.max_tokens', COUNT, '!'),
  field('stop_server_tools_when.3.max_cost_in_dollars', { type: 'number', min: 0, max: 999_999_999_999_999 }, '!'),
  field('stop_server_tools_when.4.reason', { ...NAME, min: 1 }, '!'),
  field('tools', { type: 'array', max: TOOLS_MAX, filler: { type: 'shell' } }, '-'),
  toolType(0),
  ...memberFields('tools.0'),
  field('tools.0.parameters', OBJECT, '?'),
  field('tools.0.output_schema', ANY),
  field('tools.0.strict', FLAG, '?'),
  field('tools.0.cache_control', thing('an object or null'), '?'),
  field('tools.0.cache_control.type', { type: 'mixed', words: 'ephemeral', types: [] }, '!'),
  toolType(1),
  ...memberFields('tools.1'),
  field('tools.1.format', thing('an object or null'), '?'),
  field('tools.1.format.type', WORD, '!'),
  toolType(2),
  field('tools.2.name', TOOL_NAME, '!'),
  field('tools.2.description', TEXT, '?'),
  field('tools.2.tools', { type: 'array', max: TOOLS_MAX, filler: { type: 'function', name: 'f' } }, '!'),
  field('tools.2.tools.0.type', tag('function', 'custom'), '!'),
  field('tools.2.tools.0.name', TOOL_NAME, '!'),
  toolType(3),
  field('tools.3.environment', ANY),
  toolType(4),
  field('tools.4.size', ANY),
  field('tool_choice', { type: 'mixed', words: 'a string or an object', types: ['string', 'object'] }, '-'),
  field('tool_choice.type', tag(...CHOICE_TYPES), '!'),
  field('tool_choice.name', NAME, '!'),
  field('tool_choice.namespace', NAME, '?'),
];

const FIELDS = [...SAMPLING, ...ANSWER, ...ROUTING, ...RECORDS, ...TOOL_FIELDS];

const SUBJECT: Subject = {
  body: BODY,
  refusalOf: (body) => {
    try {
      readBody(body, CreateResponseDto);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  },
};

it('has a valid body, and a case for each of its fields', () => {
  expect(SUBJECT.refusalOf(BODY)).toBeUndefined();
  expect(undescribed(FIELDS, Object.keys(BODY), BODY)).toEqual([]);
  const declared = [...DtoRules.of(CreateResponseDto).fields];
  expect([...Object.keys(BODY), ...Object.keys(FOREIGN)].toSorted()).toEqual(declared.toSorted());
});

it.each(FIELDS.map((each) => [each.path, each] as const))('judges %s', (_path, each) => {
  const { due, found } = verdictsOn(each, SUBJECT);
  expect(found).toEqual(due);
});

it.each(Object.entries(FOREIGN))('refuses any value of %s but null', (name, reason) => {
  expect(SUBJECT.refusalOf({ ...BODY, [name]: null })).toBeUndefined();
  for (const value of ['', 'x', 0, 1.5, true, false, {}, [], [1]])
    expect([value, SUBJECT.refusalOf({ ...BODY, [name]: value })]).toEqual([value, `${name}: ${reason}`]);
});

const text = (length: number): string => 'x'.repeat(length);
const pairs = (count: number, value: unknown = 'v'): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
const allowed = (more: object): object => ({
  type: 'allowed_tools',
  mode: 'auto',
  tools: [{ type: 'shell' }],
  ...more,
});

it.each<[string, unknown, string | undefined]>([
  ['metadata', pairs(16), undefined],
  ['metadata', pairs(17), 'metadata: must have at most 16 entries'],
  ['metadata', { [text(64)]: 'v' }, undefined],
  ['metadata', { [text(65)]: 'v' }, `metadata.${text(64)}…: its name must be at most 64 characters`],
  ['preset_variables', pairs(100), undefined],
  ['preset_variables', pairs(101), 'preset_variables: must have at most 100 entries'],
  ['store', true, `store: must be false: ${KEPT}`],
  ['background', true, 'background: must be false: the gateway answers at once; send stream for long answers'],
  ['previous_response_id', '', `previous_response_id: must be null: ${KEPT}`],
  ['temperature', 2.000001, 'temperature: must be at most 2'],
  ['top_p', -0.000001, 'top_p: must be at least 0'],
  ['top_logprobs', 1.5, 'top_logprobs: must be an integer'],
  ['input', [], 'input: must have at least 1 entry'],
  ['include', [], undefined],
  ['tools', [], undefined],
  ['stop_server_tools_when', [], 'stop_server_tools_when: must have at least 1 entry'],
  ['stop_server_tools_when', { type: 'max_cost', max_cost_in_dollars: 0 }, undefined],
  ['text', { format: { type: 'grammar', definition: null } }, 'text.format.definition: must be a string'],
  ['tool_choice', 'any', 'tool_choice: must be one of none, auto, required'],
  ['tool_choice', allowed({}), undefined],
  ['tool_choice', allowed({ mode: 'none' }), 'tool_choice.mode: must be one of auto, required'],
  ['tool_choice', allowed({ tools: null }), 'tool_choice.tools: must be an array'],
  ['tool_choice', allowed({ tools: [{ type: 'function' }] }), 'tool_choice.tools.0.name: is required'],
  ['tool_choice', allowed({ tools: Array(TOOLS_MAX).fill({ type: 'shell' }) }), undefined],
  ['tool_choice', allowed({ tools: Array(TOOLS_MAX + 1).fill({ type: 'shell' }) }), `tool_choice.tools: must have at most ${TOOLS_MAX} entries`],
  ['tool_choice', { type: `openrouter:${text(117)}` }, undefined],
  ['tool_choice', { type: `openrouter:${text(118)}` }, 'tool_choice.type: must be at most 128 characters'],
])('judges %s: %.80j', (name, value, refusal) => {
  expect(SUBJECT.refusalOf({ ...BODY, [name]: value })).toBe(refusal);
}); // oxfmt-ignore
