// Every field of docs/use/messages.md#request-fields is validated exactly, and refused with its path and reason. Based
// on a complete body: each field is tried absent, null, with every wrong type, at and past its limits, with every
// member of its enum and an unknown one. A field without a row fails the last test of its table.
import 'reflect-metadata';
import {
  amount,
  ANY,
  bodyWith,
  COUNT,
  DOMAINS,
  field,
  fixed,
  FLAG,
  LIST,
  located,
  marked,
  NAME,
  NUMBER,
  OBJECT,
  one,
  OPTIONS_MAX,
  refusalOf,
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
} from '../../../test/support/field-cases.js';
import { ExactNumber } from '../../core/json/json.js';
import { FULL_BODY } from '../../../test/support/message-body.js';

const DISPLAYS = one('summarized', 'omitted', 'updates');
const EDITS = 'context_management.edits';
/** Tools that a panel of models may have, in their order. */
const PANEL_TOOLS = ['web_search', 'web_fetch', 'datetime', 'bash', 'advisor', 'experimental__search_models'];

const PLUGINS = [
  'auto-router', 'context-compression', 'file-parser', 'fusion', 'moderation', 'pareto-router', 'response-healing', 'web',
  'web-fetch',
]; // oxfmt-ignore
const QUANTIZATIONS = [
  'int4', 'int8', 'fp4', 'fp6', 'fp8', 'fp16', 'bf16', 'fp32', 'unknown', 'mxfp4', 'nvfp4', 'mxfp8',
]; // oxfmt-ignore
const SORTS = one('price', 'throughput', 'latency', 'exacto');
const MODELS_MAX = 64;
const PRICE: Kind = { type: 'mixed', words: 'a string or a number', types: ['string', 'number', 'integer'] };
const CUTOFFS: Kind = {
  type: 'mixed',
  words: 'a number, an object or null',
  types: ['number', 'integer', 'object'],
};

/** A rule may be shorter than the text: surrounding blanks are trimmed. */
const DOMAIN_RULES = { ...DOMAINS, longest: 'a.example'.padEnd(DOMAINS.entryMax) };

const TOP: Field[] = [
  field('model', NAME, '!'),
  field('max_tokens', { ...COUNT, min: 1 }),
  field('max_tool_calls', { ...COUNT, min: 1 }),
  ...texts('models', '', { max: MODELS_MAX }),
  field('fallbacks', { type: 'array', max: 3, filler: { model: 'a' } }, '?'),
  field('fallbacks.0.model', NAME, '!'),
  field('system', TEXT_OR_LIST),
  fixed('system.0.type'),
  field('system.0.text', TEXT, '!'),
  field('system.0.citations', LIST, '?'),
  ...marked('system.0'),
  field('stream', FLAG),
  field('temperature', NUMBER),
  field('top_p', NUMBER),
  field('top_k', { ...COUNT, min: -1 }),
  ...texts('stop_sequences', '', { max: 8_191, entryMax: 4_096 }),
  field('metadata', OBJECT),
  field('metadata.user_id', { type: 'string', max: 1_024 }, '?'),
  field('user', { type: 'string', max: 256 }),
  field('session_id', { type: 'string', max: 256 }),
  field('service_tier', WORD),
  field('preset', NAME),
  field('preset_variables', OBJECT),
  field('speed', one('standard', 'fast'), '?'),
  field('inference_geo', WORD, '?'),
  field('route', one('fallback', 'sort'), '?'),
  field('cache_control', thing('an object'), '?'),
  fixed('cache_control.type'),
  field('cache_control.ttl', one('5m', '1h')),
  field('trace', OBJECT),
  ...['trace_id', 'trace_name', 'span_name', 'generation_name', 'parent_span_id'].map((key) =>
    field(`trace.${key}`, { type: 'string', max: 8_192 }),
  ),
  field('trace.other', ANY),
];

const OPTIONS: Field[] = [
  field('thinking', thing('an object')),
  field('thinking.type', tag('enabled', 'disabled', 'adaptive', 'between_tools'), '!'),
  field('thinking.budget_tokens', COUNT, '!'),
  field('thinking.display', DISPLAYS, '?'),
  // A word is a choice of chat: test/tools/tool-forms.spec.ts has its message.
  field('tool_choice', { type: 'mixed', words: 'an object', types: ['object', 'string'] }),
  field('tool_choice.type', tag('auto', 'any', 'none', 'tool'), '!'),
  field('tool_choice.name', NAME, '!'),
  field('tool_choice.disable_parallel_tool_use', FLAG),
  field('output_config', OBJECT),
  field('output_config.effort', one('low', 'medium', 'high', 'xhigh', 'max'), '?'),
  field('output_config.format', thing('an object or null'), '?'),
  fixed('output_config.format.type'),
  field('output_config.format.schema', OBJECT, '!'),
  field('output_config.task_budget', thing('an object or null'), '?'),
  fixed('output_config.task_budget.type'),
  field('output_config.task_budget.total', { ...COUNT, min: 20_000 }, '!'),
  field('output_config.task_budget.remaining', COUNT, '?'),
  field('context_management', OBJECT, '?'),
  field(EDITS, { type: 'array', max: OPTIONS_MAX, filler: { type: 'clear_thinking_20251015' } }),
  field(`${EDITS}.0.type`, tag('clear_tool_uses_20250919', 'clear_thinking_20251015', 'compact_20260112'), '!'),
  ...amount(`${EDITS}.0.clear_at_least`, '?'),
  field(`${EDITS}.0.clear_tool_inputs`, { type: 'mixed', words: 'a boolean, an array or null', types: ['boolean', 'array'] }, '?'), // oxfmt-ignore
  ...texts(`${EDITS}.0.exclude_tools`, '?', { max: 10_000 }),
  ...amount(`${EDITS}.0.keep`),
  field(`${EDITS}.0.trigger`, thing('an object')),
  field(`${EDITS}.0.trigger.type`, tag('input_tokens', 'tool_uses'), '!'),
  field(`${EDITS}.0.trigger.value`, COUNT, '!'),
  field(`${EDITS}.1.type`, tag('clear_tool_uses_20250919', 'clear_thinking_20251015', 'compact_20260112'), '!'),
  field(`${EDITS}.1.keep`, { type: 'mixed', words: 'a string or an object', types: ['string', 'object'] }),
  field(`${EDITS}.1.keep.type`, tag('thinking_turns', 'all'), '!'),
  field(`${EDITS}.1.keep.value`, COUNT, '!'),
  field(`${EDITS}.2.type`, tag('clear_tool_uses_20250919', 'clear_thinking_20251015', 'compact_20260112'), '!'),
  field(`${EDITS}.2.instructions`, TEXT, '?'),
  field(`${EDITS}.2.pause_after_compaction`, FLAG),
  ...amount(`${EDITS}.2.trigger`, '?'),
  field('stop_server_tools_when', { type: 'mixed', words: 'an array or an object', types: ['array', 'object'] }),
  ...[0, 1, 2, 3, 4].map((index) =>
    field(
      `stop_server_tools_when.${index}.type`,
      tag('step_count_is', 'has_tool_call', 'max_tokens_used', 'max_cost', 'finish_reason_is'),
      '!',
    ),
  ),
  field('stop_server_tools_when.0.step_count', COUNT, '!'),
  field('stop_server_tools_when.1.tool_name', { ...NAME, min: 1 }, '!'),
  field('stop_server_tools_when.2.max_tokens', COUNT, '!'),
  field('stop_server_tools_when.3.max_cost_in_dollars', { type: 'number', min: 0, max: 999_999_999_999_999 }, '!'),
  field('stop_server_tools_when.4.reason', { ...NAME, min: 1 }, '!'),
];

const PLUGIN_FIELDS: Field[] = [
  field('plugins', { type: 'array', max: OPTIONS_MAX, filler: { id: 'moderation' } }),
  ...PLUGINS.flatMap((id, index) => [
    field(`plugins.${index}.id`, tag(...PLUGINS), '!'),
    ...(id === 'moderation' ? [] : [field(`plugins.${index}.enabled`, FLAG)]),
  ]),
  ...texts('plugins.0.allowed_models', '', { max: MODELS_MAX }),
  field('plugins.0.cost_quality_tradeoff', { type: 'integer', min: 0, max: 10 }),
  field('plugins.1.engine', one('middle-out')),
  field('plugins.2.pdf', OBJECT),
  field('plugins.2.pdf.engine', one('mistral-ocr', 'native', 'cloudflare-ai', 'pdf-text')),
  ...texts('plugins.3.analysis_models', '', { min: 1, max: 8 }),
  field('plugins.3.model', NAME),
  field('plugins.3.preset', one('general-high', 'general-budget', 'general-fast')),
  field('plugins.3.max_tool_calls', { type: 'integer', min: 1, max: 16 }),
  field('plugins.3.tools', { type: 'array', max: 8, filler: { type: 'datetime' } }),
  field('plugins.3.tools.0.type', tag(...PANEL_TOOLS.flatMap((tool) => [`openrouter:${tool}`, tool])), '!'),
  field('plugins.3.tools.0.parameters', OBJECT),
  field('plugins.5.min_coding_score', { type: 'number', min: 0, max: 1 }),
  field('plugins.5.price_source', one('prompt', 'weighted_avg')),
  field('plugins.7.engine', one('native', 'exa', 'firecrawl', 'parallel', 'perplexity')),
  field('plugins.7.max_results', { type: 'integer', min: 1, max: 25 }),
  field('plugins.7.max_uses', COUNT),
  field('plugins.7.search_prompt', TEXT),
  ...texts('plugins.7.include_domains', '', DOMAIN_RULES),
  ...texts('plugins.7.exclude_domains', '', DOMAIN_RULES),
  ...located('plugins.7.user_location', '?'),
  ...texts('plugins.8.allowed_domains', '', DOMAIN_RULES),
  ...texts('plugins.8.blocked_domains', '', DOMAIN_RULES),
  field('plugins.8.max_content_tokens', { ...COUNT, min: 1 }),
  field('plugins.8.max_uses', COUNT),
];

const PROVIDER: Field[] = [
  field('provider', OBJECT, '?'),
  ...['allow_fallbacks', 'enforce_distillable_text', 'require_parameters'].map((key) =>
    field(`provider.${key}`, FLAG, '?'),
  ),
  field('provider.zdr', FLAG),
  field('provider.data_collection', one('allow', 'deny'), '?'),
  ...['ignore', 'only', 'order'].flatMap((key) => texts(`provider.${key}`, '?', { max: 256 })),
  field('provider.max_price', OBJECT),
  ...['prompt', 'completion', 'image', 'audio', 'request'].map((key) => field(`provider.max_price.${key}`, PRICE)),
  field('provider.quantizations', { type: 'array', max: OPTIONS_MAX, filler: 'int4' }, '?'),
  field('provider.quantizations.0', one(...QUANTIZATIONS), '!'),
  field('provider.sort', { type: 'mixed', words: 'a string, an object or null', types: ['string', 'object'] }, '?'),
  field('provider.sort.by', SORTS, '?'),
  field('provider.sort.partition', one('model', 'none'), '?'),
  ...['preferred_max_latency', 'preferred_min_throughput'].flatMap((key) => [
    field(`provider.${key}`, CUTOFFS, '?'),
    ...['p50', 'p75', 'p90', 'p99'].map((cut) =>
      field(`provider.${key}.${cut}`, { type: 'number', min: 0, max: Number.MAX_SAFE_INTEGER }, '?'),
    ),
  ]),
];

const FIELDS: Field[] = [...TOP, ...OPTIONS, ...PLUGIN_FIELDS, ...PROVIDER];

describe('the fields beside messages and tools', () => {
  it.each(FIELDS)('validates $path', (each) => {
    const { due, found } = verdictsOn(each);
    expect(found).toEqual(due);
  });

  it('has a row for every field', () => {
    expect(
      undescribed(FIELDS, [...Object.keys(FULL_BODY).filter((key) => key !== 'messages' && key !== 'tools')]),
    ).toEqual([]);
  });

  it.each<[string, unknown, string | undefined]>([
    ['fallbacks.0', { model: 'a', max_tokens: 1 }, 'fallbacks.0.max_tokens: is not a known field'],
    ['fallbacks', [], undefined],
    ['fallbacks.0', 'a', 'fallbacks.0: must be an object'],
    ['provider', { unheard_of: 1 }, 'provider.unheard_of: is not a known field'],
    ['provider', {}, undefined],
    ['provider.max_price', { unheard_of: 1 }, undefined],
    ['provider.max_price.prompt', '0', undefined],
    ['provider.max_price.prompt', 0, undefined],
    ['provider.max_price.prompt', 0.000001, undefined],
    ['provider.max_price.prompt', '0.123456789012', undefined],
    ['provider.max_price.prompt', -1, 'provider.max_price.prompt: must be at least 0'],
    ['provider.max_price.prompt', 1e15, 'provider.max_price.prompt: must be at most 999999999999999'],
    ...['-1', '', 'a', '1e3', '.5', '1.', '1.1234567890123', '1234567890123456'].map(
      (price): [string, unknown, string] => [
        'provider.max_price.prompt',
        price,
        'provider.max_price.prompt: must be a decimal number of at least 0 with at most 15 digits and 12 decimals',
      ],
    ),
    ['provider.sort', 'exacto', undefined],
    ['provider.sort', 'cheapest', 'provider.sort: must be one of price, throughput, latency, exacto'],
    ['provider.sort', {}, undefined],
    ['provider.preferred_max_latency', 1.5, undefined],
    ['provider.order', ['any text at all'], undefined],
    ['temperature', 5, undefined],
    ['top_p', -1, undefined],
    [
      'provider.preferred_max_latency',
      new ExactNumber('9'.repeat(150)),
      'provider.preferred_max_latency: must be at most 9007199254740991',
    ],
    ['thinking', { type: 'disabled' }, undefined],
    ['thinking', { type: 'adaptive' }, undefined],
    ['thinking', { type: 'between_tools' }, undefined],
    [
      'thinking',
      { type: 'adaptive', display: 'full' },
      'thinking.display: must be one of summarized, omitted, updates, null',
    ],
    ['tool_choice', { type: 'none' }, undefined],
    ['tool_choice', { type: 'any' }, undefined],
    [
      'tool_choice',
      { type: 'auto', disable_parallel_tool_use: 1 },
      'tool_choice.disable_parallel_tool_use: must be a boolean',
    ],
    [`${EDITS}.0.clear_tool_inputs`, ['a'], undefined],
    [`${EDITS}.0.clear_tool_inputs`, [1], `${EDITS}.0.clear_tool_inputs.0: must be a string`],
    [`${EDITS}.0.trigger`, { type: 'input_tokens', value: 1 }, undefined],
    [`${EDITS}.1.keep`, 'all', undefined],
    [`${EDITS}.1.keep`, 'some', `${EDITS}.1.keep: must be all`],
    [`${EDITS}.1.keep`, { type: 'all' }, undefined],
    ['stop_server_tools_when', [], 'stop_server_tools_when: must have at least 1 entry'],
    ['stop_server_tools_when', { type: 'max_cost', max_cost_in_dollars: 1 }, undefined],
    ['stop_server_tools_when', { type: 'max_cost' }, 'stop_server_tools_when.max_cost_in_dollars: is required'],
    ['plugins', [{ id: 'moderation', enabled: 'tolerated' }], undefined],
    ['plugins', [{ id: 'auto-router', cost_tier: 'low' }], undefined],
    ['plugins.5.min_coding_score', 1.01, 'plugins.5.min_coding_score: must be at most 1'],
    ['plugins.5.min_coding_score', -0.01, 'plugins.5.min_coding_score: must be at least 0'],
    ['plugins.3.tools', [], undefined],
    ['system', 'a', undefined],
    ['system', [], undefined],
    ['system', [{ type: 'image' }], 'system.0.text: is required'],
    ['model', '', undefined],
    ['metadata', { user_id: null, other: 1 }, undefined],
    ['top_k', 1.0, undefined],
    ['output_config.task_budget.total', 19_999.5, 'output_config.task_budget.total: must be an integer'],
    ['unheard_of', { anything: [1] }, undefined],
    ['constructor', 1, undefined],
  ])('judges %s: %j', (path, value, refusal) => {
    expect(refusalOf(bodyWith(path, value))).toBe(refusal);
  });
});
