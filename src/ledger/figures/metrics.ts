import { errorTypeOf } from '../generations/generation-outcomes.js';
import type { MeasureColumn } from './figure-columns.js';

/** Formats in which clients display a value. */
export const DISPLAY_FORMATS = ['number', 'currency', 'percent', 'latency', 'throughput'] as const;

/** The figures of each group. */
export interface Metric {
  readonly label: string;
  readonly format: (typeof DISPLAY_FORMATS)[number];
  /** The value over a group of rows `f`; null: there is none. */
  readonly expression: string;
  /** Whether the figure is a rate, which cannot be summed up over groups. */
  readonly isRate: boolean;
  /** Only generations know it. */
  readonly needsRows: boolean;
}

const sum = (column: MeasureColumn, filter = ''): string => `coalesce(sum(f.${column})${filter}, 0)`;
const total = (label: string, column: MeasureColumn, format: Metric['format'] = 'number'): Metric => ({
  label,
  format,
  expression: sum(column),
  isRate: false,
  needsRows: false,
});
const rate = (label: string, format: Metric['format'], part: string, whole: string): Metric => ({
  label,
  format,
  expression: `${part} / nullif(${whole}, 0)`,
  isRate: true,
  needsRows: false,
});
const percentile = (label: string, share: number): Metric => ({
  label,
  format: 'latency',
  expression: `percentile_cont(${share}) WITHIN GROUP (ORDER BY f.latency_ms) FILTER (WHERE f.latency_count > 0)`,
  isRate: true,
  needsRows: true,
});

const ERRORS = sum('requests', ` FILTER (WHERE ${errorTypeOf('f.outcome')} IS NOT NULL)`);

/** Every metric, in the order in which it is shown. Amounts in USD, times in milliseconds, rates as shares of 1. */
export const METRICS = {
  request_count: total('Requests', 'requests'),
  error_count: { ...total('Errors', 'requests'), expression: ERRORS },
  error_rate: rate('Error rate', 'percent', ERRORS, sum('requests')),
  total_usage: total('Usage', 'cost', 'currency'),
  usage_prompt: total('List price of prompts', 'prompt_cost', 'currency'),
  usage_completion: total('List price of completions', 'completion_cost', 'currency'),
  usage_tools: total('List price of tools', 'tools_cost', 'currency'),
  usage_byok: total('Usage of own credentials', 'byok_cost', 'currency'),
  operator_cost: total('Operator cost', 'operator_cost', 'currency'),
  tokens_total: {
    ...total('Tokens', 'prompt_tokens'),
    expression: `${sum('prompt_tokens')} + ${sum('completion_tokens')}`,
  },
  tokens_prompt: total('Prompt tokens', 'prompt_tokens'),
  tokens_completion: total('Completion tokens', 'completion_tokens'),
  reasoning_tokens: total('Reasoning tokens', 'reasoning_tokens'),
  cached_tokens: total('Cached tokens', 'cached_tokens'),
  cache_write_tokens: total('Tokens written to caches', 'cache_write_tokens'),
  cache_hit_rate: rate('Cache hit rate', 'percent', sum('cached_tokens'), sum('prompt_tokens')),
  web_searches: total('Web searches', 'web_searches'),
  web_fetches: total('Web fetches', 'web_fetches'),
  avg_latency: rate('Average latency', 'latency', sum('latency_ms'), sum('latency_count')),
  p50_latency: percentile('Median latency', 0.5),
  p90_latency: percentile('90th percentile of latency', 0.9),
  avg_throughput: rate('Average throughput', 'throughput', `1000.0 * ${sum('timed_tokens')}`, sum('timed_ms')),
} as const satisfies Readonly<Record<string, Metric>>;
export type MetricName = keyof typeof METRICS;

export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];
