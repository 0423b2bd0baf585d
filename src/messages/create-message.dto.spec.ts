// Goal: every field of Scope 2.1–2.4 and WIRE 1.1–1.14 is judged exactly, and refused with its path and reason.
// Method: one body that holds every field and variant; one row per field; each row is tried absent, null, of every wrong type,
// at and past its limits, with every member of its enum and a stranger. Fields that no row names fail the last test.
import 'reflect-metadata';
import { readBody } from '../shared/http/dto.pipe.js';
import { CreateMessageDto } from './create-message.dto.js';

const CACHE = { type: 'ephemeral', ttl: '1h' };
const PLACE = { type: 'approximate', city: 'a', country: 'b', region: 'c', timezone: 'd' };
const CITED = { cited_text: 'a', document_index: 0, document_title: 'b' };
const TEXT = { type: 'text', text: 'a' };

const BODY = {
  model: 'm',
  max_tokens: 1,
  models: ['a'],
  fallbacks: [{ model: 'a' }],
  system: [{ type: 'text', text: 'a', citations: [], cache_control: CACHE }],
  stream: true,
  temperature: 0.5,
  top_p: 0.5,
  top_k: 1,
  stop_sequences: ['a'],
  metadata: { user_id: 'a' },
  user: 'a',
  session_id: 'a',
  service_tier: 'flex',
  speed: 'fast',
  cache_control: CACHE,
  thinking: { type: 'enabled', budget_tokens: 1, display: 'omitted' },
  tool_choice: { type: 'tool', name: 'a', disable_parallel_tool_use: true },
  preset: 'a',
  route: 'sort',
  trace: { trace_id: 'a', trace_name: 'b', span_name: 'c', generation_name: 'd', parent_span_id: 'e', other: 1 },
  output_config: {
    effort: 'low',
    format: { type: 'json_schema', schema: {} },
    task_budget: { type: 'tokens', total: 20_000, remaining: 0 },
  },
  context_management: {
    edits: [
      {
        type: 'clear_tool_uses_20250919',
        clear_at_least: { type: 'input_tokens', value: 1 },
        clear_tool_inputs: true,
        exclude_tools: ['a'],
        keep: { type: 'tool_uses', value: 1 },
        trigger: { type: 'tool_uses', value: 1 },
      },
      { type: 'clear_thinking_20251015', keep: { type: 'thinking_turns', value: 1 } },
      {
        type: 'compact_20260112',
        instructions: 'a',
        pause_after_compaction: true,
        trigger: { type: 'input_tokens', value: 1 },
      },
    ],
  },
  stop_server_tools_when: [
    { type: 'step_count_is', step_count: 1 },
    { type: 'has_tool_call', tool_name: 'a' },
    { type: 'max_tokens_used', max_tokens: 1 },
    { type: 'max_cost', max_cost_in_dollars: 0.5 },
    { type: 'finish_reason_is', reason: 'a' },
  ],
  plugins: [
    { id: 'auto-router', enabled: true, allowed_models: ['a'], cost_quality_tradeoff: 7 },
    { id: 'context-compression', enabled: true, engine: 'middle-out' },
    { id: 'file-parser', enabled: true, pdf: { engine: 'native' } },
    {
      id: 'fusion',
      enabled: true,
      analysis_models: ['a'],
      model: 'a',
      preset: 'general-fast',
      max_tool_calls: 8,
      tools: [{ type: 'a', parameters: {} }],
    },
    { id: 'moderation' },
    { id: 'pareto-router', enabled: true, min_coding_score: 0.5, price_source: 'prompt' },
    { id: 'response-healing', enabled: true },
    {
      id: 'web',
      enabled: true,
      engine: 'exa',
      max_results: 1,
      max_uses: 1,
      search_prompt: 'a',
      include_domains: ['a'],
      exclude_domains: ['a'],
      user_location: PLACE,
    },
    {
      id: 'web-fetch',
      enabled: true,
      allowed_domains: ['a'],
      blocked_domains: ['a'],
      max_content_tokens: 1,
      max_uses: 1,
    },
  ],
  provider: {
    allow_fallbacks: true,
    data_collection: 'deny',
    enforce_distillable_text: true,
    ignore: ['a'],
    only: ['a'],
    order: ['a'],
    max_price: { prompt: '1', completion: 2.5, image: 1, audio: 1, request: 1 },
    quantizations: ['fp8'],
    require_parameters: true,
    sort: { by: 'price', partition: 'none' },
    zdr: true,
    preferred_max_latency: { p50: 1, p75: 1, p90: 1, p99: 1 },
    preferred_min_throughput: { p50: 1, p75: 1, p90: 1, p99: 1 },
  },
  tools: [
    {
      type: 'custom',
      name: 'a',
      description: 'b',
      input_schema: { type: 'object', properties: {}, required: ['a'] },
      defer_loading: true,
      strict: true,
      cache_control: CACHE,
    },
    { type: 'bash_20250124', name: 'bash', cache_control: CACHE },
    { type: 'text_editor_20250124', name: 'str_replace_editor', cache_control: CACHE },
    {
      type: 'web_search_20250305',
      name: 'web_search',
      allowed_domains: ['a'],
      blocked_domains: ['a'],
      max_uses: 1,
      user_location: PLACE,
      cache_control: CACHE,
    },
    {
      type: 'web_search_20260209',
      name: 'web_search',
      allowed_domains: ['a'],
      blocked_domains: ['a'],
      max_uses: 1,
      user_location: PLACE,
      allowed_callers: ['direct'],
      cache_control: CACHE,
    },
    {
      type: 'advisor_20260301',
      name: 'advisor',
      model: 'a',
      allowed_callers: ['direct'],
      caching: CACHE,
      defer_loading: true,
      max_uses: 1,
      cache_control: CACHE,
    },
    {
      type: 'openrouter:bash',
      parameters: {
        engine: 'native',
        environment: { type: 'container_reference', container_id: 'a' },
        sleep_after_seconds: 1,
      },
    },
    {
      type: 'openrouter:shell',
      parameters: { engine: 'auto', environment: { type: 'container_auto' }, sleep_after_seconds: 1 },
    },
    { type: 'openrouter:datetime', parameters: { timezone: 'UTC' } },
    { type: 'openrouter:image_generation', parameters: { model: 'a', output_compression: 50, quality: 'high' } },
    { type: 'openrouter:experimental__search_models', parameters: { max_results: 5 } },
    { type: 'openrouter:tool_search', parameters: { max_results: 5 } },
    {
      type: 'openrouter:web_fetch',
      parameters: {
        engine: 'exa',
        max_uses: 1,
        max_content_tokens: 1,
        allowed_domains: ['a'],
        blocked_domains: ['a'],
      },
    },
    {
      type: 'openrouter:web_search',
      parameters: {
        engine: 'exa',
        max_results: 5,
        max_total_results: 1,
        max_uses: 1,
        max_characters: 5,
        search_context_size: 'low',
        allowed_domains: ['a'],
        excluded_domains: ['a'],
        user_location: PLACE,
      },
    },
    { type: 'openrouter:unheard_of', parameters: {} },
    { type: 'memory_20990101', anything: [1] },
  ],
  messages: [
    {
      role: 'user',
      content: [
        {
          ...TEXT,
          citations: [
            { type: 'char_location', ...CITED, start_char_index: 0, end_char_index: 1 },
            { type: 'page_location', ...CITED, start_page_number: 0, end_page_number: 1 },
            { type: 'content_block_location', ...CITED, start_block_index: 0, end_block_index: 1 },
            { type: 'web_search_result_location', cited_text: 'a', url: 'b', title: 'c', encrypted_index: 'd' },
            {
              type: 'search_result_location',
              cited_text: 'a',
              source: 'b',
              title: 'c',
              search_result_index: 0,
              start_block_index: 0,
              end_block_index: 1,
            },
          ],
          cache_control: CACHE,
        },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'a' }, cache_control: CACHE },
        { type: 'image', source: { type: 'url', url: 'a' } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'a' },
          title: 'a',
          context: 'b',
          citations: { enabled: true },
          cache_control: CACHE,
        },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' } },
        { type: 'document', source: { type: 'content', content: [TEXT] } },
        { type: 'document', source: { type: 'url', url: 'a' } },
        { type: 'document', source: { type: 'file', file_id: 'a' } },
        {
          type: 'search_result',
          source: 'a',
          title: 'b',
          content: [TEXT],
          citations: { enabled: true },
          cache_control: CACHE,
        },
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: [
            TEXT,
            { type: 'image', source: { type: 'url', url: 'a' } },
            { type: 'document', source: { type: 'url', url: 'a' } },
            { type: 'search_result', source: 'a', title: 'b', content: [] },
            { type: 'tool_reference', tool_name: 'a', cache_control: CACHE },
          ],
          is_error: true,
          cache_control: CACHE,
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'a', signature: 'b' },
        { type: 'redacted_thinking', data: 'a' },
        { type: 'tool_use', id: 'a', name: 'b', input: {}, cache_control: CACHE },
        { type: 'server_tool_use', id: 'a', name: 'b', input: {}, cache_control: CACHE },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'a',
          content: [
            { type: 'web_search_result', url: 'a', title: 'b', encrypted_content: 'c', page_age: 'd' },
          ],
          cache_control: CACHE,
        },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'a',
          content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
        },
        { type: 'compaction', content: 'a', encrypted_content: 'b', cache_control: CACHE },
        { type: 'advisor_tool_result', tool_use_id: 'a', content: { type: 'advisor_result' }, cache_control: CACHE },
        { type: 'web_fetch_tool_result', tool_use_id: 'a', content: {} },
        { type: 'code_execution_tool_result', tool_use_id: 'a', content: {} },
        { type: 'bash_code_execution_tool_result', tool_use_id: 'a', content: {} },
        { type: 'text_editor_code_execution_tool_result', tool_use_id: 'a', content: {} },
        { type: 'tool_search_tool_result', tool_use_id: 'a', content: {} },
        { type: 'openrouter_shell_tool_result', tool_use_id: 'a', content: {} },
        { type: 'openrouter_bash_tool_result', tool_use_id: 'a', content: {} },
        { type: 'container_upload', file_id: 'a' },
        { type: 'mcp_tool_use', id: 'a', name: 'b', server_name: 'c', input: {} },
        { type: 'mcp_tool_result', tool_use_id: 'a', content: [TEXT], is_error: true },
      ],
    },
    {
      role: 'system',
      content: [
        { type: 'tool_addition', tool: { type: 'tool_reference', name: 'a' }, cache_control: CACHE },
        { type: 'tool_removal', tool: { type: 'mcp_tool_reference', name: 'a', server_name: 'b' } },
        { type: 'tool_removal', tool: { type: 'mcp_toolset_reference', server_name: 'a' } },
      ],
    },
  ],
};

type Path = readonly string[];
type Kind =
  | { type: 'string'; min?: number; max?: number }
  | { type: 'integer' | 'number'; min?: number; max?: number }
  | { type: 'boolean' | 'object' | 'any' }
  | { type: 'array'; min?: number; max?: number; filler?: unknown }
  | { type: 'enum'; values: readonly string[] }
  | { type: 'tag'; values: readonly string[] }
  | { type: 'mixed'; words: string; types: readonly string[] };

interface Field {
  readonly path: string;
  readonly kind: Kind;
  readonly required?: boolean;
  readonly nullable?: boolean;
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'x',
  number: 1.5,
  integer: 3,
  boolean: false,
  object: {},
  array: [],
};
const WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
};

const must = (field: Field): string => {
  const { kind, nullable = false } = field;
  if (kind.type === 'enum') return `must be one of ${[...kind.values, ...(nullable ? ['null'] : [])].join(', ')}`;
  if (kind.type === 'tag') return `must be one of ${kind.values.join(', ')}`;
  if (kind.type === 'mixed') return `must be ${kind.words}`;
  return `must be ${WORDS[kind.type]}${nullable ? ' or null' : ''}`;
};

function at(root: unknown, path: Path): Record<string, unknown> {
  let value = root as Record<string, unknown>;
  for (const key of path) value = value[key] as Record<string, unknown>;
  return value;
}

function bodyWith(path: string, value: unknown): unknown {
  const body = structuredClone(BODY);
  const keys = path.split('.');
  const parent = at(body, keys.slice(0, -1));
  if (value === undefined) delete parent[keys.at(-1)!];
  else parent[keys.at(-1)!] = value;
  return body;
}

/** The refusal, or `undefined` when the body is taken. */
function refusalOf(body: unknown): string | undefined {
  try {
    readBody(body, CreateMessageDto);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

type Case = [name: string, path: string, value: unknown, reason: string | undefined];

function* casesOf(field: Field): Generator<Case> {
  const { path, kind, required = false, nullable = false } = field;
  const wrong = must(field);
  yield [`${path} absent`, path, undefined, required ? 'is required' : undefined];
  yield [`${path} null`, path, null, nullable || kind.type === 'any' ? undefined : wrong];
  const accepted =
    kind.type === 'mixed' ? kind.types : kind.type === 'number' ? ['number', 'integer'] : [kind.type as string];
  for (const [type, sample] of Object.entries(SAMPLES)) {
    if (!accepted.includes(type) && kind.type !== 'any') yield [`${path} of type ${type}`, path, sample, wrong];
  }
  switch (kind.type) {
    case 'enum':
      for (const value of kind.values) yield [`${path} ${value}`, path, value, undefined];
      yield [`${path} in capitals`, path, kind.values[0]!.toUpperCase().replace(/^[^A-Z]*$/, 'X'), wrong];
      break;
    case 'tag':
      yield [`${path} unknown`, path, 'toString', wrong];
      break;
    case 'string':
      if (kind.max !== undefined) {
        const limit = `must be at most ${kind.max} characters`;
        // Characters, not units: each of these is two units long.
        yield [`${path} at its longest`, path, '😀'.repeat(kind.max), undefined];
        yield [`${path} one too long`, path, 'x'.repeat(kind.max + 1), limit];
      }
      if (kind.min !== undefined) yield [`${path} empty`, path, '', `must be at least ${kind.min} character`];
      break;
    case 'integer':
    case 'number':
      if (kind.min !== undefined) {
        yield [`${path} at its least`, path, kind.min, undefined];
        yield [`${path} below its least`, path, kind.min - 1, `must be at least ${kind.min}`];
      }
      if (kind.max !== undefined) {
        yield [`${path} at its most`, path, kind.max, undefined];
        yield [`${path} above its most`, path, kind.max + 1, `must be at most ${kind.max}`];
      }
      yield [`${path} endless`, path, JSON.parse('1e999') as number, wrong];
      break;
    case 'array': {
      const fill = (length: number): unknown[] => Array.from({ length }, () => kind.filler ?? 'a');
      if (kind.min !== undefined) {
        yield [`${path} too short`, path, fill(kind.min - 1), `must have at least ${kind.min} entry`];
      }
      if (kind.max !== undefined) {
        yield [`${path} at its longest`, path, fill(kind.max), undefined];
        yield [`${path} too long`, path, fill(kind.max + 1), `must have at most ${kind.max} entries`];
      }
      break;
    }
    case 'boolean':
    case 'object':
    case 'any':
    case 'mixed':
      break;
  }
}

const TEXT_KIND: Kind = { type: 'string' };
const INTEGER: Kind = { type: 'integer' };
const NUMBER: Kind = { type: 'number' };
const FLAG: Kind = { type: 'boolean' };
const OBJECT: Kind = { type: 'object' };
const LIST: Kind = { type: 'array' };
const ANY: Kind = { type: 'any' };
const TEXT_OR_LIST: Kind = { type: 'mixed', words: 'a string or an array', types: ['string', 'array'] };
const one = (...values: string[]): Kind => ({ type: 'enum', values });
const tag = (...values: string[]): Kind => ({ type: 'tag', values });

/** `!` is required, `?` may be null. */
const field = (path: string, kind: Kind, flags = ''): Field => ({
  path,
  kind,
  required: flags.includes('!'),
  nullable: flags.includes('?'),
});

/** A text that has one legal value. */
const fixed = (path: string): Field => {
  const keys = path.split('.');
  return field(path, { type: 'mixed', words: String(at(BODY, keys.slice(0, -1))[keys.at(-1)!]), types: [] }, '!');
};

const marked = (path: string): Field[] => [
  field(`${path}.cache_control`, { type: 'mixed', words: 'an object', types: ['object'] }),
  fixed(`${path}.cache_control.type`),
  field(`${path}.cache_control.ttl`, one('5m', '1h')),
];
const located = (path: string, flags: string): Field[] => [
  field(path, { type: 'mixed', words: 'an object or null', types: ['object'] }, flags),
  fixed(`${path}.type`),
  ...['city', 'country', 'region', 'timezone'].map((key) => field(`${path}.${key}`, TEXT_KIND, '?')),
];
const texts = (path: string, flags = '', limits: { min?: number; max?: number } = {}): Field[] => [
  field(path, { type: 'array', ...limits }, flags),
  field(`${path}.0`, TEXT_KIND, '!'),
];
const amount = (path: string, flags = ''): Field[] => [
  field(path, { type: 'mixed', words: `an object${flags.includes('?') ? ' or null' : ''}`, types: ['object'] }, flags),
  fixed(`${path}.type`),
  field(`${path}.value`, INTEGER, '!'),
];
/** An object that needs some of its keys, so that an empty one is refused for another reason. */
const thing = (words: string): Kind => ({ type: 'mixed', words, types: ['object'] });

const DISPLAYS = one('summarized', 'omitted', 'updates');
const CALLERS = one('direct', 'code_execution_20250825', 'code_execution_20260120');
const EDITS = 'context_management.edits';
const USER = 'messages.0.content';
const ASSISTANT = 'messages.1.content';
const SYSTEM = 'messages.2.content';
const BLOCKS = [
  'text', 'image', 'document', 'search_result', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'server_tool_use',
  'web_search_tool_result', 'compaction', 'advisor_tool_result', 'web_fetch_tool_result', 'code_execution_tool_result',
  'bash_code_execution_tool_result', 'text_editor_code_execution_tool_result', 'tool_search_tool_result',
  'openrouter_shell_tool_result', 'openrouter_bash_tool_result', 'container_upload', 'mcp_tool_use', 'mcp_tool_result',
]; // prettier-ignore
const RESULT_PARTS = ['text', 'image', 'document', 'search_result', 'tool_reference'];
const PLUGINS = [
  'auto-router', 'context-compression', 'file-parser', 'fusion', 'moderation', 'pareto-router', 'response-healing', 'web',
  'web-fetch',
]; // prettier-ignore
const CITATIONS = [
  'char_location', 'page_location', 'content_block_location', 'web_search_result_location', 'search_result_location',
]; // prettier-ignore
const CITATION_NUMBERS = [
  ['document_index', 'start_char_index', 'end_char_index'],
  ['document_index', 'start_page_number', 'end_page_number'],
  ['document_index', 'start_block_index', 'end_block_index'],
  [],
  ['search_result_index', 'start_block_index', 'end_block_index'],
];
const CITATION_TEXTS = [['cited_text'], ['cited_text'], ['cited_text'], ['cited_text', 'url', 'encrypted_index'], ['cited_text', 'source']]; // prettier-ignore
const QUANTIZATIONS = [
  'int4', 'int8', 'fp4', 'fp6', 'fp8', 'fp16', 'bf16', 'fp32', 'unknown', 'mxfp4', 'nvfp4', 'mxfp8',
]; // prettier-ignore
const SORTS = one('price', 'throughput', 'latency', 'exacto');
const PRICE: Kind = { type: 'mixed', words: 'a string or a number', types: ['string', 'number', 'integer'] };
const CUTOFFS: Kind = {
  type: 'mixed',
  words: 'a number, an object or null',
  types: ['number', 'integer', 'object'],
};

const TOP: Field[] = [
  field('model', TEXT_KIND, '!'),
  field('messages', { type: 'array', min: 1 }, '!'),
  field('max_tokens', { type: 'integer', min: 1 }),
  ...texts('models'),
  field('fallbacks', { type: 'array', max: 3, filler: { model: 'a' } }, '?'),
  field('fallbacks.0.model', TEXT_KIND, '!'),
  field('system', TEXT_OR_LIST),
  fixed('system.0.type'),
  field('system.0.text', TEXT_KIND, '!'),
  field('system.0.citations', LIST, '?'),
  ...marked('system.0'),
  field('stream', FLAG),
  field('temperature', NUMBER),
  field('top_p', NUMBER),
  field('top_k', INTEGER),
  ...texts('stop_sequences'),
  field('metadata', OBJECT),
  field('metadata.user_id', TEXT_KIND, '?'),
  field('user', { type: 'string', max: 256 }),
  field('session_id', { type: 'string', max: 256 }),
  field('service_tier', TEXT_KIND),
  field('preset', TEXT_KIND),
  field('speed', one('standard', 'fast'), '?'),
  field('route', one('fallback', 'sort'), '?'),
  field('cache_control', thing('an object')),
  fixed('cache_control.type'),
  field('cache_control.ttl', one('5m', '1h')),
  field('trace', OBJECT),
  ...['trace_id', 'trace_name', 'span_name', 'generation_name', 'parent_span_id'].map((key) =>
    field(`trace.${key}`, TEXT_KIND),
  ),
  field('trace.other', ANY),
];

const OPTIONS: Field[] = [
  field('thinking', thing('an object')),
  field('thinking.type', tag('enabled', 'disabled', 'adaptive'), '!'),
  field('thinking.budget_tokens', INTEGER, '!'),
  field('thinking.display', DISPLAYS, '?'),
  field('tool_choice', thing('an object')),
  field('tool_choice.type', tag('auto', 'any', 'none', 'tool'), '!'),
  field('tool_choice.name', TEXT_KIND, '!'),
  field('tool_choice.disable_parallel_tool_use', FLAG),
  field('output_config', OBJECT),
  field('output_config.effort', one('low', 'medium', 'high', 'xhigh', 'max'), '?'),
  field('output_config.format', thing('an object or null'), '?'),
  fixed('output_config.format.type'),
  field('output_config.format.schema', OBJECT, '!'),
  field('output_config.task_budget', thing('an object or null'), '?'),
  fixed('output_config.task_budget.type'),
  field('output_config.task_budget.total', { type: 'integer', min: 20_000 }, '!'),
  field('output_config.task_budget.remaining', { type: 'integer', min: 0 }, '?'),
  field('context_management', OBJECT, '?'),
  field(EDITS, LIST),
  field(`${EDITS}.0.type`, tag('clear_tool_uses_20250919', 'clear_thinking_20251015', 'compact_20260112'), '!'),
  ...amount(`${EDITS}.0.clear_at_least`, '?'),
  field(`${EDITS}.0.clear_tool_inputs`, { type: 'mixed', words: 'a boolean, an array or null', types: ['boolean', 'array'] }, '?'), // prettier-ignore
  ...texts(`${EDITS}.0.exclude_tools`, '?'),
  ...amount(`${EDITS}.0.keep`),
  field(`${EDITS}.0.trigger`, thing('an object')),
  field(`${EDITS}.0.trigger.type`, tag('input_tokens', 'tool_uses'), '!'),
  field(`${EDITS}.0.trigger.value`, INTEGER, '!'),
  field(`${EDITS}.1.type`, tag('clear_tool_uses_20250919', 'clear_thinking_20251015', 'compact_20260112'), '!'),
  field(`${EDITS}.1.keep`, { type: 'mixed', words: 'a string or an object', types: ['string', 'object'] }),
  field(`${EDITS}.1.keep.type`, tag('thinking_turns', 'all'), '!'),
  field(`${EDITS}.1.keep.value`, INTEGER, '!'),
  field(`${EDITS}.2.type`, tag('clear_tool_uses_20250919', 'clear_thinking_20251015', 'compact_20260112'), '!'),
  field(`${EDITS}.2.instructions`, TEXT_KIND, '?'),
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
  field('stop_server_tools_when.0.step_count', INTEGER, '!'),
  field('stop_server_tools_when.1.tool_name', { type: 'string', min: 1 }, '!'),
  field('stop_server_tools_when.2.max_tokens', INTEGER, '!'),
  field('stop_server_tools_when.3.max_cost_in_dollars', NUMBER, '!'),
  field('stop_server_tools_when.4.reason', { type: 'string', min: 1 }, '!'),
];

const PLUGIN_FIELDS: Field[] = [
  field('plugins', LIST),
  ...PLUGINS.flatMap((id, index) => [
    field(`plugins.${index}.id`, tag(...PLUGINS), '!'),
    ...(id === 'moderation' ? [] : [field(`plugins.${index}.enabled`, FLAG)]),
  ]),
  ...texts('plugins.0.allowed_models'),
  field('plugins.0.cost_quality_tradeoff', { type: 'integer', min: 0, max: 10 }),
  field('plugins.1.engine', one('middle-out')),
  field('plugins.2.pdf', OBJECT),
  field('plugins.2.pdf.engine', one('mistral-ocr', 'native', 'cloudflare-ai', 'pdf-text')),
  ...texts('plugins.3.analysis_models', '', { min: 1, max: 8 }).map((row) =>
    row.path.endsWith('.0') ? row : { ...row, kind: { type: 'array', min: 1, max: 8 } as const },
  ),
  field('plugins.3.model', TEXT_KIND),
  field('plugins.3.preset', one('general-high', 'general-budget', 'general-fast')),
  field('plugins.3.max_tool_calls', { type: 'integer', min: 1, max: 16 }),
  field('plugins.3.tools', { type: 'array', max: 8, filler: { type: 'a' } }),
  field('plugins.3.tools.0.type', TEXT_KIND, '!'),
  field('plugins.3.tools.0.parameters', OBJECT),
  field('plugins.5.min_coding_score', { type: 'number', min: 0, max: 1 }),
  field('plugins.5.price_source', one('prompt', 'weighted_avg')),
  field('plugins.7.engine', one('native', 'exa', 'firecrawl', 'parallel', 'perplexity')),
  field('plugins.7.max_results', INTEGER),
  field('plugins.7.max_uses', INTEGER),
  field('plugins.7.search_prompt', TEXT_KIND),
  ...texts('plugins.7.include_domains'),
  ...texts('plugins.7.exclude_domains'),
  ...located('plugins.7.user_location', '?'),
  ...texts('plugins.8.allowed_domains'),
  ...texts('plugins.8.blocked_domains'),
  field('plugins.8.max_content_tokens', INTEGER),
  field('plugins.8.max_uses', INTEGER),
];

const PROVIDER: Field[] = [
  field('provider', OBJECT, '?'),
  ...['allow_fallbacks', 'enforce_distillable_text', 'require_parameters'].map((key) =>
    field(`provider.${key}`, FLAG, '?'),
  ),
  field('provider.zdr', FLAG),
  field('provider.data_collection', one('allow', 'deny'), '?'),
  ...['ignore', 'only', 'order'].flatMap((key) => texts(`provider.${key}`, '?')),
  field('provider.max_price', OBJECT),
  ...['prompt', 'completion', 'image', 'audio', 'request'].map((key) => field(`provider.max_price.${key}`, PRICE)),
  field('provider.quantizations', LIST, '?'),
  field('provider.quantizations.0', one(...QUANTIZATIONS), '!'),
  field('provider.sort', { type: 'mixed', words: 'a string, an object or null', types: ['string', 'object'] }, '?'),
  field('provider.sort.by', SORTS, '?'),
  field('provider.sort.partition', one('model', 'none'), '?'),
  ...['preferred_max_latency', 'preferred_min_throughput'].flatMap((key) => [
    field(`provider.${key}`, CUTOFFS, '?'),
    ...['p50', 'p75', 'p90', 'p99'].map((cut) => field(`provider.${key}.${cut}`, NUMBER, '?')),
  ]),
];

const TOOLS: Field[] = [
  field('tools', LIST),
  ...BODY.tools.map((tool, index) => field(`tools.${index}.type`, TEXT_KIND)),
  field('tools.0.name', TEXT_KIND, '!'),
  field('tools.0.description', TEXT_KIND),
  field('tools.0.input_schema', OBJECT, '!'),
  field('tools.0.input_schema.type', TEXT_KIND),
  field('tools.0.input_schema.properties', ANY),
  ...texts('tools.0.input_schema.required', '?'),
  field('tools.0.defer_loading', FLAG),
  field('tools.0.strict', FLAG),
  ...[0, 1, 2, 3, 4, 5].flatMap((index) => marked(`tools.${index}`)),
  ...[1, 2, 3, 4, 5].map((index) => fixed(`tools.${index}.name`)),
  ...[3, 4].flatMap((index) => [
    ...texts(`tools.${index}.allowed_domains`, '?'),
    ...texts(`tools.${index}.blocked_domains`, '?'),
    field(`tools.${index}.max_uses`, INTEGER, '?'),
    ...located(`tools.${index}.user_location`, '?'),
  ]),
  ...[4, 5].flatMap((index) => [
    field(`tools.${index}.allowed_callers`, LIST),
    field(`tools.${index}.allowed_callers.0`, CALLERS, '!'),
  ]),
  field('tools.5.model', TEXT_KIND, '!'),
  field('tools.5.caching', thing('an object or null'), '?'),
  fixed('tools.5.caching.type'),
  field('tools.5.caching.ttl', one('5m', '1h')),
  field('tools.5.defer_loading', FLAG),
  field('tools.5.max_uses', INTEGER),
  ...BODY.tools.slice(6, 15).map((_, index) => field(`tools.${index + 6}.parameters`, OBJECT)),
  field('tools.6.parameters.engine', one('auto', 'native', 'openrouter')),
  ...[6, 7].flatMap((index) => [
    field(`tools.${index}.parameters.environment`, thing('an object')),
    field(`tools.${index}.parameters.environment.type`, tag('container_auto', 'container_reference'), '!'),
    field(`tools.${index}.parameters.sleep_after_seconds`, { type: 'integer', max: 2_592_000 } as const),
  ]),
  field('tools.6.parameters.environment.container_id', TEXT_KIND, '!'),
  field('tools.7.parameters.engine', one('auto', 'openrouter')),
  field('tools.8.parameters.timezone', TEXT_KIND),
  field('tools.9.parameters.model', TEXT_KIND),
  field('tools.9.parameters.output_compression', { type: 'number', min: 0, max: 100 }),
  field('tools.9.parameters.quality', ANY),
  field('tools.10.parameters.max_results', { type: 'integer', min: 1, max: 20 }),
  field('tools.11.parameters.max_results', { type: 'integer', min: 1, max: 50 }),
  field('tools.12.parameters.engine', one('auto', 'native', 'openrouter', 'exa', 'parallel', 'firecrawl')),
  field('tools.12.parameters.max_uses', INTEGER),
  field('tools.12.parameters.max_content_tokens', INTEGER),
  ...texts('tools.12.parameters.allowed_domains'),
  ...texts('tools.12.parameters.blocked_domains'),
  field('tools.13.parameters.max_results', { type: 'integer', min: 1, max: 25 }),
  field('tools.13.parameters.max_total_results', INTEGER),
  field('tools.13.parameters.max_uses', INTEGER),
  field('tools.13.parameters.max_characters', { type: 'integer', min: 1, max: 100_000 }),
  field('tools.13.parameters.search_context_size', one('low', 'medium', 'high')),
  ...texts('tools.13.parameters.allowed_domains'),
  ...texts('tools.13.parameters.excluded_domains'),
  ...located('tools.13.parameters.user_location', '?'),
  field('tools.15.anything', ANY),
];

const CALL = (path: string): Field[] => [
  field(`${path}.id`, TEXT_KIND, '!'),
  field(`${path}.name`, TEXT_KIND, '!'),
  field(`${path}.input`, ANY),
];

const MESSAGES: Field[] = [
  ...[0, 1, 2].flatMap((index) => [
    field(`messages.${index}.role`, tag('user', 'assistant', 'system'), '!'),
    field(`messages.${index}.content`, TEXT_OR_LIST, '!'),
  ]),
  ...BODY.messages[0]!.content.map((_, index) => field(`${USER}.${index}.type`, tag(...BLOCKS), '!')),
  ...BODY.messages[1]!.content.map((_, index) => field(`${ASSISTANT}.${index}.type`, tag(...BLOCKS), '!')),
  ...BODY.messages[2]!.content.flatMap((_, index) => [
    field(`${SYSTEM}.${index}.type`, tag(...BLOCKS, 'tool_addition', 'tool_removal'), '!'),
    field(`${SYSTEM}.${index}.tool`, thing('an object'), '!'),
    field(
      `${SYSTEM}.${index}.tool.type`,
      tag('tool_reference', 'mcp_tool_reference', 'mcp_toolset_reference'),
      '!',
    ),
  ]),
  field(`${USER}.0.text`, TEXT_KIND, '!'),
  field(`${USER}.0.citations`, LIST, '?'),
  ...CITATIONS.flatMap((_, index) => [
    field(`${USER}.0.citations.${index}.type`, tag(...CITATIONS), '!'),
    ...CITATION_NUMBERS[index]!.map((key) => field(`${USER}.0.citations.${index}.${key}`, INTEGER, '!')),
    ...CITATION_TEXTS[index]!.map((key) => field(`${USER}.0.citations.${index}.${key}`, TEXT_KIND, '!')),
    field(`${USER}.0.citations.${index}.${index < 3 ? 'document_title' : 'title'}`, TEXT_KIND, '!?'),
  ]),
  ...[0, 1, 3, 8, 9].flatMap((index) => marked(`${USER}.${index}`)),
  ...[1, 2, 3, 4, 5, 6, 7].map((index) => field(`${USER}.${index}.source`, thing('an object'), '!')),
  field(`${USER}.1.source.type`, tag('base64', 'url'), '!'),
  field(`${USER}.1.source.media_type`, one('image/jpeg', 'image/png', 'image/gif', 'image/webp'), '!'),
  field(`${USER}.1.source.data`, TEXT_KIND, '!'),
  field(`${USER}.2.source.type`, tag('base64', 'url'), '!'),
  field(`${USER}.2.source.url`, TEXT_KIND, '!'),
  ...[3, 4, 5, 6, 7].map((index) =>
    field(`${USER}.${index}.source.type`, tag('base64', 'text', 'content', 'url', 'file'), '!'),
  ),
  fixed(`${USER}.3.source.media_type`),
  field(`${USER}.3.source.data`, TEXT_KIND, '!'),
  field(`${USER}.3.title`, TEXT_KIND, '?'),
  field(`${USER}.3.context`, TEXT_KIND, '?'),
  field(`${USER}.3.citations`, OBJECT, '?'),
  field(`${USER}.3.citations.enabled`, FLAG),
  fixed(`${USER}.4.source.media_type`),
  field(`${USER}.4.source.data`, TEXT_KIND, '!'),
  field(`${USER}.5.source.content`, TEXT_OR_LIST, '!'),
  field(`${USER}.5.source.content.0.type`, tag('text', 'image'), '!'),
  field(`${USER}.5.source.content.0.text`, TEXT_KIND, '!'),
  field(`${USER}.6.source.url`, TEXT_KIND, '!'),
  field(`${USER}.7.source.file_id`, TEXT_KIND, '!'),
  field(`${USER}.8.source`, TEXT_KIND, '!'),
  field(`${USER}.8.title`, TEXT_KIND, '!'),
  field(`${USER}.8.content`, LIST, '!'),
  fixed(`${USER}.8.content.0.type`),
  field(`${USER}.8.content.0.text`, TEXT_KIND, '!'),
  field(`${USER}.8.citations`, OBJECT),
  field(`${USER}.8.citations.enabled`, FLAG),
  field(`${USER}.9.tool_use_id`, TEXT_KIND, '!'),
  field(`${USER}.9.content`, TEXT_OR_LIST),
  ...RESULT_PARTS.map((_, index) => field(`${USER}.9.content.${index}.type`, tag(...RESULT_PARTS), '!')),
  field(`${USER}.9.content.0.text`, TEXT_KIND, '!'),
  field(`${USER}.9.content.1.source`, thing('an object'), '!'),
  field(`${USER}.9.content.1.source.type`, tag('base64', 'url'), '!'),
  field(`${USER}.9.content.1.source.url`, TEXT_KIND, '!'),
  field(`${USER}.9.content.2.source`, thing('an object'), '!'),
  field(`${USER}.9.content.2.source.type`, tag('base64', 'text', 'content', 'url', 'file'), '!'),
  field(`${USER}.9.content.2.source.url`, TEXT_KIND, '!'),
  field(`${USER}.9.content.3.source`, TEXT_KIND, '!'),
  field(`${USER}.9.content.3.title`, TEXT_KIND, '!'),
  field(`${USER}.9.content.3.content`, LIST, '!'),
  field(`${USER}.9.content.4.tool_name`, TEXT_KIND, '!'),
  ...marked(`${USER}.9.content.4`),
  field(`${USER}.9.is_error`, FLAG),
  field(`${ASSISTANT}.0.thinking`, TEXT_KIND, '!'),
  field(`${ASSISTANT}.0.signature`, TEXT_KIND, '!'),
  field(`${ASSISTANT}.1.data`, TEXT_KIND, '!'),
  ...[2, 3, 16].flatMap((index) => CALL(`${ASSISTANT}.${index}`)),
  field(`${ASSISTANT}.16.server_name`, TEXT_KIND, '!'),
  ...[2, 3, 4, 6, 7].flatMap((index) => marked(`${ASSISTANT}.${index}`)),
  ...[4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 17].map((index) => field(`${ASSISTANT}.${index}.tool_use_id`, TEXT_KIND, '!')),
  field(`${ASSISTANT}.4.content`, { type: 'mixed', words: 'an array or an object', types: ['array', 'object'] }, '!'),
  fixed(`${ASSISTANT}.4.content.0.type`),
  ...['url', 'title', 'encrypted_content'].map((key) => field(`${ASSISTANT}.4.content.0.${key}`, TEXT_KIND, '!')),
  field(`${ASSISTANT}.4.content.0.page_age`, TEXT_KIND, '?'),
  field(`${ASSISTANT}.5.content`, { type: 'mixed', words: 'an array or an object', types: ['array', 'object'] }, '!'),
  fixed(`${ASSISTANT}.5.content.type`),
  field(
    `${ASSISTANT}.5.content.error_code`,
    one('invalid_tool_input', 'unavailable', 'max_uses_exceeded', 'too_many_requests', 'query_too_long', 'request_too_large'), // prettier-ignore
    '!',
  ),
  field(`${ASSISTANT}.6.content`, TEXT_KIND, '!?'),
  field(`${ASSISTANT}.6.encrypted_content`, TEXT_KIND, '?'),
  ...[7, 8, 9, 10, 11, 12, 13, 14].map((index) => field(`${ASSISTANT}.${index}.content`, OBJECT, '!')),
  field(`${ASSISTANT}.15.file_id`, TEXT_KIND, '!'),
  field(`${ASSISTANT}.17.content`, TEXT_OR_LIST),
  fixed(`${ASSISTANT}.17.content.0.type`),
  field(`${ASSISTANT}.17.content.0.text`, TEXT_KIND, '!'),
  field(`${ASSISTANT}.17.is_error`, FLAG),
  ...marked(`${SYSTEM}.0`),
  field(`${SYSTEM}.0.tool.name`, TEXT_KIND, '!'),
  field(`${SYSTEM}.1.tool.name`, TEXT_KIND, '!'),
  field(`${SYSTEM}.1.tool.server_name`, TEXT_KIND, '!'),
  field(`${SYSTEM}.2.tool.server_name`, TEXT_KIND, '!'),
];
