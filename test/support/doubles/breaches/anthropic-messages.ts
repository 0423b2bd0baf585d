import type { JsonBody } from '../../recorded-request.js';
import { seal, signatureOf } from '../double.js';
import { generationBreaches, type GenerationForm } from './claude-generations.js';
import {
  BOUND_SCHEMA,
  EPHEMERAL,
  ONE_OF_SCHEMA,
  OPEN_SCHEMA,
  PNG,
  RECURSIVE_SCHEMA,
  SCHEMA,
  SEVERAL_SCHEMA,
  UNIONS_SCHEMA,
  type Breach,
  type RuleCase,
} from './rule-case.js';

const strictTools = (count: number, input_schema: object): object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `look${index}`, strict: true, input_schema }));
const OPTIONAL = { ...SCHEMA, required: [] };

/** A picture by its address, in the form of a cloud. */
function onCloud(body: JsonBody, anthropic_version: string): void {
  delete body.model;
  Object.assign(body, { anthropic_version });
  body.messages[0].content[0].source = { type: 'url', url: 'https://a.test/a.png' };
}

const generations: GenerationForm = {
  named: (model) => model,
  set: (body, { output_config, ...fields }) => {
    delete body.thinking;
    Object.assign(body, fields);
    Object.assign(body.output_config, output_config);
  },
  push: (body, role) => body.messages.push({ role, content: 'So' }),
};

/** The call in the form of a cloud, with what that does not know. */
function onPlatform(body: JsonBody, anthropic_version: string, change: (body: JsonBody) => void): void {
  delete body.model;
  Object.assign(body, { anthropic_version });
  change(body);
}
const BEDROCK = 'bedrock-2023-05-31';
const VERTEX = 'vertex-2023-10-16';
const REFUSED_FIELDS: readonly [field: string, change: (body: JsonBody) => void][] = [
  ['cache_control.ephemeral.scope', (b) => (b.system[0].cache_control.scope = 'global')],
  ['tool_use.caller', (b) => (b.messages[1].content[3].caller = { type: 'direct' })],
  ['custom.eager_input_streaming', (b) => (b.tools[0].eager_input_streaming = false)],
  ['custom.defer_loading', (b) => (b.tools[0].defer_loading = true)],
  ['custom.allowed_callers', (b) => (b.tools[0].allowed_callers = ['direct'])],
  ['custom.input_examples', (b) => (b.tools[0].input_examples = [{}])],
];

export const anthropic: RuleCase = {
  model: 'claude-sonnet-4-5',
  body: {
    model: 'claude-sonnet-4-5',
    max_tokens: 2000,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    tools: [{ name: 'look', input_schema: SCHEMA }],
    tool_choice: { type: 'auto' },
    messages: [
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: signatureOf('anthropic', 'Hm.') },
          { type: 'redacted_thinking', data: seal('anthropic', 'secret') },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { city: 'Bern' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Sun', cache_control: EPHEMERAL }] },
          { type: 'text', text: 'And?' },
        ],
      },
    ],
    output_config: { format: { type: 'json_schema', schema: SCHEMA } },
  },
  breaches: [
    ...generationBreaches(generations),
    ['a role of newer models', (b) => { delete b.thinking; generations.push(b, 'system'); }, "role 'system' is not supported", { model: 'claude-opus-4-7' }],
    ['instructions in front', (b) => { delete b.thinking; b.messages.unshift({ role: 'system', content: 'So' }); }, 'use the top-level', { model: 'claude-opus-4-8' }],
    ['instructions in a row', (b) => { delete b.thinking; generations.push(b, 'system'); generations.push(b, 'system'); }, 'must follow a user turn', { model: 'claude-opus-4-8' }],
    ['an effort of a turn without its beta', (b) => { delete b.thinking; b.messages.push({ role: 'system', content: [], output_config: { effort: 'low' } }); }, 'messages.3.output_config: Extra inputs', { model: 'claude-opus-5' }],
    ['an unknown end of instructions', (b) => { delete b.thinking; b.messages.push({ role: 'system', content: 'So', clear_at: 'soon' }); }, 'clear_at', { model: 'claude-opus-5' }],
    ['an unknown field', (b) => (b.api_base = 'x'), 'api_base: Extra inputs'],
    ['an unknown field of a block', (b) => (b.messages[0].content[0].detail = 'low'), 'detail: Extra inputs'],
    ['no limit', (b) => delete b.max_tokens, 'max_tokens: Field required'],
    ['a limit in words', (b) => (b.max_tokens = '20'), 'max_tokens: Input should be'],
    ['a foreign role', (b) => (b.messages[0].role = 'developer'), "'user' or 'assistant' or 'system'"],
    ['no messages', (b) => (b.messages = []), 'at least one message'],
    ['a bound in a form of the answer', (b) => (b.output_config.format.schema = BOUND_SCHEMA), "For 'string' type, properties minLength"],
    ['two entries at least', (b) => (b.output_config.format.schema = SEVERAL_SCHEMA), "'minItems' values other than 0 or 1"],
    ['exactly one of several forms', (b) => (b.output_config.format.schema = ONE_OF_SCHEMA), "'oneOf' is not supported"],
    ['a form that refers to itself', (b) => (b.output_config.format.schema = RECURSIVE_SCHEMA), 'Recursive schemas'],
    ['an open schema of a strict tool', (b) => (b.tools = [{ name: 'look', strict: true, input_schema: OPEN_SCHEMA }]), 'tools.0.custom: For'],
    ['twenty-one strict tools', (b) => (b.tools = strictTools(21, SCHEMA)), 'Too many strict tools (21)'],
    ['twenty-five optional properties', (b) => (b.tools = [...strictTools(20, OPTIONAL), { name: 'look', strict: false, input_schema: OPTIONAL }], b.output_config.format.schema = { ...OPTIONAL, properties: Object.fromEntries([1, 2, 3, 4, 5].map((one) => [one, { type: 'string' }])) }), 'too many optional parameters (25)'],
    ['a schema that the platform does not know', (b) => { b.anthropic_version = 'bedrock-2023-05-31'; delete b.model; b.messages[0].content[0].source.type = 'base64'; }, 'output_config.format: Extra inputs', { platform: 'bedrock', model: 'us.anthropic.claude-opus-4-8' }],
    ['a forced tool of a model that is not forced', (b) => { delete b.thinking; b.tool_choice = { type: 'any' }; }, 'not supported for this model', { model: 'claude-opus-5-5' }],
    ['a turn without content', (b) => (b.messages[0].content = []), 'must have non-empty content'],
    ['an empty text', (b) => (b.messages[2].content[1].text = ''), 'must be non-empty'],
    ['a text of space', (b) => (b.messages[0].content = ' \n'), 'non-whitespace'],
    ['a last turn that ends in space', (b) => b.messages.push({ role: 'assistant', content: 'So ' }), 'trailing whitespace'],
    ['an id of other characters', (b) => (b.messages[1].content[3].id = 'call|1'), 'id: Input should be a string that matches'],
    ['an id twice', (b) => b.messages[1].content.push(b.messages[1].content[3]), 'ids must be unique'],
    ['arguments that are no object', (b) => (b.messages[1].content[3].input = '{}'), 'input: Input should be an object'],
    ['a call without result', (b) => b.messages[2].content.shift(), 'without `tool_result` blocks immediately after: toolu_1'],
    ['words before results', (b) => b.messages[2].content.reverse(), 'without `tool_result` blocks immediately after: toolu_1'],
    ['a stray result', (b) => b.messages[2].content.unshift({ type: 'tool_result', tool_use_id: 'toolu_2' }), 'unexpected `tool_use_id`'],
    ['a failed result of more than words', (b) => Object.assign(b.messages[2].content[0], { is_error: true, content: [{ type: 'image', source: b.messages[0].content[0].source }] }), 'all content must be type'],
    ['a result twice', (b) => b.messages[2].content.unshift(b.messages[2].content[0]), 'must have a single result'],
    ['advice without its adviser', (b) => b.messages[1].content.splice(2, 0, { type: 'advisor_tool_result', tool_use_id: 'srvtoolu_1', content: {} }), 'need the advisor tool'],
    ['a name of other characters', (b) => (b.tools[0].name = 'look.up'), 'name: Input should be a string that matches'],
    ['a name twice', (b) => b.tools.push(b.tools[0]), 'Tool names must be unique'],
    ['a choice of an unknown tool', (b) => { b.thinking = { type: 'disabled' }; b.tool_choice = { type: 'tool', name: 'x' }; }, "'x' not found"],
    ['a choice among nothing', (b) => delete b.tools, 'only be specified while providing tools'],
    ['a schema of no object', (b) => (b.tools[0].input_schema = { type: 'array' }), 'input_schema.type'],
    ['a property of other characters', (b) => (b.tools[0].input_schema = { type: 'object', properties: { $top: {} } }), 'Property keys should match'],
    ['a schema of an older draft', (b) => (b.tools[0].input_schema = { type: 'object', properties: { a: { type: 'number', minimum: 0, exclusiveMinimum: true } } }), 'must match JSON Schema draft 2020-12'],
    ['seventeen unions', (b) => (b.output_config.format.schema = UNIONS_SCHEMA), 'too many parameters with union types (17)'],
    ['a schema that is none', (b) => (b.tools[0].input_schema = { type: 'object', properties: { a: { type: 'STRING' } } }), 'is not valid under any'],
    ['a form of the answer that is none', (b) => (b.output_config.format.schema = { type: 'STRING' }), 'is not valid under any'],
    ['a schema of either', (b) => (b.tools[0].input_schema = { type: 'object', anyOf: [] }), 'does not support oneOf, allOf, or anyOf'],
    ['five markers', (b) => (b.system = Array.from({ length: 5 }, () => ({ type: 'text', text: 'x', cache_control: EPHEMERAL }))), 'Found 6'],
    ['a marker on thinking', (b) => (b.messages[1].content[0].cache_control = EPHEMERAL), 'cache_control: Extra inputs'],
    ['an hour behind minutes', (b) => (b.tools[0].cache_control = EPHEMERAL), "ttl='1h' cache_control block must not come after"],
    ['a small budget', (b) => (b.thinking.budget_tokens = 1023), 'greater than or equal to 1024'],
    ['a budget over the limit', (b) => (b.thinking.budget_tokens = 2000), '`max_tokens` must be greater'],
    ['thinking with a temperature', (b) => (b.temperature = 0.5), '`temperature` may only be set to 1'],
    ['thinking with top_k', (b) => (b.top_k = 5), '`top_k` must be unset'],
    ['thinking with a low top_p', (b) => (b.top_p = 0.9), '`top_p` must be greater'],
    ['thinking with a forced tool', (b) => (b.tool_choice = { type: 'any' }), 'forces tool use'],
    ['a loop that begins without thinking', (b) => b.messages[1].content.splice(0, 2), 'Expected `thinking` or `redacted_thinking`'],
    ['a foreign signature', (b) => (b.messages[1].content[0].signature = signatureOf('google', 'Hm.')), 'Invalid `signature`'],
    ['signed words that were changed', (b) => (b.messages[1].content[0].thinking = 'Hm!'), 'Invalid `signature`'],
    ['a foreign seal', (b) => (b.messages[1].content[1].data = 'AAAA'), 'Invalid `data`'],
    ['a picture of another type', (b) => (b.messages[0].content[0].source.media_type = 'image/tiff'), 'media_type: Input should be'],
    ['a picture that is no base64', (b) => (b.messages[0].content[0].source.data = '###'), 'base64 data'],
    ['a picture of 6 MB', (b) => (b.messages[0].content[0].source.data = 'A'.repeat(6 * 1024 * 1024)), 'exceeds 5 MB'],
    ['an open form of the answer', (b) => (b.output_config.format.schema = OPEN_SCHEMA), "'additionalProperties' must be explicitly set to false"],
    ['an empty stop sequence', (b) => (b.stop_sequences = ['\n']), 'stop_sequences.0'],
    ['management without its beta', (b) => (b.context_management = { edits: [] }), 'context_management: Extra inputs'],
    ['a model on Bedrock', () => undefined, 'model: Extra inputs', { platform: 'bedrock' }],
    ['a model on Vertex', () => undefined, 'model: Extra inputs', { platform: 'vertex' }],
    ['no version on Vertex', (b) => delete b.model, 'anthropic_version: Field required', { platform: 'vertex' }],
    ['thinking of no kind', (b) => (b.thinking.type = 'auto'), 'thinking.type: Input should be'],
    ['a marker of another life', (b) => (b.system[0].cache_control.ttl = '2h'), 'ttl: Input should be'],
    ['a marker on an empty text', (b) => (b.system[0].text = ''), 'cannot be set for empty text blocks'],
    ['a temperature above one', (b) => (b.temperature = 1.5), 'temperature: Input should be'],
    ['a top_p above one', (b) => (b.top_p = 1.5), 'top_p: Input should be'],
    ['a top_k below nought', (b) => (b.top_k = -1), 'top_k: Input should be'],
    ['no token of output', (b) => (b.max_tokens = 0), 'max_tokens: Input should be'],
    ['an unknown display', (b) => (b.thinking.display = 'full'), 'display: Input should be'],
    ['an unknown end', (b) => (b.messages[0].clear_at = 'soon'), 'clear_at: Input should be'],
    ['an unknown effort', (b) => (b.output_config.effort = 'most'), 'effort: Input should be'],
    ['an unknown tier', (b) => (b.service_tier = 'flex'), 'service_tier: Input should be'],
    ['an unknown speed', (b) => (b.speed = 'slow'), 'speed: Input should be'],
    ['speed without its beta', (b) => (b.speed = 'fast'), 'speed: Extra inputs'],
    ['a budget of tasks without its beta', (b) => (b.output_config.task_budget = {}), 'task_budget: Extra inputs'],
    ['compaction with the beta of management alone', (b) => (b.context_management = { edits: [{ type: 'compact_20260112' }] }), 'context_management: Extra inputs', { headers: { 'anthropic-beta': 'context-management-2025-06-27' } }],
    ['a scope without its beta', (b) => (b.system[0].cache_control.scope = 'global'), 'cache_control.scope: Extra inputs'],
    ...REFUSED_FIELDS.flatMap(([field, change]): Breach[] => [
      [`${field} on Bedrock`, (b) => onPlatform(b, BEDROCK, change), `${field}: Extra inputs`, { platform: 'bedrock' }],
      [`${field} on Vertex`, (b) => onPlatform(b, VERTEX, change), `${field}: Extra inputs`, { platform: 'vertex' }],
    ]),
    ['a beta that Bedrock does not know', (b) => onPlatform(b, BEDROCK, () => (b.anthropic_beta = ['prompt-caching-scope-2026-01-05'])), 'invalid beta flag', { platform: 'bedrock' }],
    ['an address on Vertex', (b) => onCloud(b, 'vertex-2023-10-16'), 'URL sources are not supported', { platform: 'vertex' }],
    ['an address on Bedrock', (b) => onCloud(b, 'bedrock-2023-05-31'), 'URL sources are not supported', { platform: 'bedrock' }],
  ],
  counting: {
    body: { model: 'claude-sonnet-4-5', system: 'Be brief.', messages: [{ role: 'user', content: 'See' }] },
    breaches: [
      ['a limit of the answer', (b) => (b.max_tokens = 5), 'max_tokens: Extra inputs'],
      ['no model', (b) => delete b.model, 'model: Field required'],
      ['no version on Vertex', () => undefined, 'anthropic_version: Field required', { platform: 'vertex' }],
      ['its own form on Bedrock', () => undefined, 'model: Extra inputs', { platform: 'bedrock' }],
    ],
  },
}; // oxfmt-ignore
