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
