import { ALL_PROMPT_TOKENS } from '../generations/generation-columns.js';
import { answeredOutcome } from '../generations/generation-outcomes.js';

/*
 * The columns of `generation_figures` besides its span and time, each with the expression that computes it from a
 * generation `g`. Figures are written, read and verified by this list.
 */

/** Columns that separate rows. */
export const DIMENSION_COLUMNS = {
  account_id: 'g.account_id',
  workspace_id: 'g.workspace_id',
  key_hash: 'g.key_hash',
  member: 'g.key_user',
  model: 'coalesce(g.model, g.requested_model)',
  provider: 'g.provider',
  endpoint: 'g.endpoint',
  api: 'g.api_type',
  dialect: 'g.dialect',
  outcome: answeredOutcome('g'),
  // False for a generation that no provider answered and that cost nothing.
  is_answered: '(g.model IS NOT NULL OR g.cost <> 0 OR g.byok_cost <> 0 OR g.operator_cost <> 0)',
} as const;
export type DimensionColumn = keyof typeof DIMENSION_COLUMNS;

/**
 * Each generation is summed up once in rows of each detail: without its caller, by member, and by key. Those with the
 * fewest rows are first. A query reads the first detail that has the columns which it names.
 */
export const DETAILS = ['none', 'member', 'key'] as const;
export type Detail = (typeof DETAILS)[number];
/** The least detail whose rows have the column; in rows with less it is null. */
export const DETAILED_COLUMNS = { member: 'member', key_hash: 'key' } as const satisfies Partial<
  Record<DimensionColumn, Detail>
>;

const IS_TIMED = '(g.generation_ms > 0 AND g.completion_tokens > 0)';

/** Columns that are summed up. */
export const MEASURE_COLUMNS = {
  requests: '1::bigint',
  cost: 'g.cost',
  byok_cost: 'g.byok_cost',
  operator_cost: 'g.operator_cost',
  prompt_cost: 'g.prompt_cost',
  completion_cost: 'g.completion_cost',
  tools_cost: 'g.tools_cost',
  prompt_tokens: ALL_PROMPT_TOKENS,
  cached_tokens: 'g.cache_read_tokens',
  cache_write_tokens: 'g.cache_write_tokens + g.cache_write_1h_tokens',
  completion_tokens: 'g.completion_tokens',
  reasoning_tokens: 'g.reasoning_tokens',
  web_searches: 'g.web_searches::bigint',
  web_fetches: 'g.web_fetches::bigint',
  latency_ms: 'coalesce(g.latency_ms, 0)::bigint',
  latency_count: '(g.latency_ms IS NOT NULL)::int::bigint',
  // Over the generations that have both a time and an output.
  timed_ms: `(CASE WHEN ${IS_TIMED} THEN g.generation_ms ELSE 0 END)::bigint`,
  timed_tokens: `(CASE WHEN ${IS_TIMED} THEN g.completion_tokens ELSE 0 END)`,
} as const;
export type MeasureColumn = keyof typeof MEASURE_COLUMNS;

export const DIMENSION_NAMES = Object.keys(DIMENSION_COLUMNS) as readonly DimensionColumn[];
export const MEASURE_NAMES = Object.keys(MEASURE_COLUMNS) as readonly MeasureColumn[];

/** All of these columns of a generation `g`, and the name of its provider. */
export const OF_GENERATION = [
  ...Object.entries(DIMENSION_COLUMNS),
  ...Object.entries(MEASURE_COLUMNS),
  ['provider_name', 'g.provider_name'],
]
  .map(([name, expression]) => `${expression} AS ${name}`)
  .join(', ');

/** For rows `f` that have these columns. */
export const OF_FIGURES = [...DIMENSION_NAMES, ...MEASURE_NAMES, 'provider_name'].map((name) => `f.${name}`).join(', ');
