import type { UsageClass } from './usage-classes.js';

export const FORMAT_NAMES = ['anthropic', 'openai', 'generic'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** The tokens of a class: one column, less those that it includes. */
interface ClassColumns {
  readonly column: string;
  readonly less?: readonly string[];
}

/** The columns of a vendor's usage export that are read. */
export interface ExportFormat {
  /** The page that documents the columns, or where they were seen, and the date of reading. */
  readonly source: string;
  /** The slug of the provider in the shipped catalog; absent: it must be given. */
  readonly provider?: string;
  /** Also recognises the format. `date`: `YYYY-MM-DD`, with a time or without; `seconds`: since 1970. All are UTC. */
  readonly day: { readonly column: string; readonly unit: 'date' | 'seconds' };
  readonly model: string;
  /** A class that is absent has no tokens. */
  readonly tokens: Partial<Readonly<Record<UsageClass, ClassColumns>>>;
  /** Columns of tokens that a file may lack: they are 0. */
  readonly optional: readonly string[];
  /** No other columns are allowed. */
  readonly isClosed?: true;
}

export const EXPORT_FORMATS: Readonly<Record<FormatName, ExportFormat>> = {
  // Days and hours of Usage > Export in the console. Cost exports have other columns.
  anthropic: {
    source:
      'https://support.claude.com/en/articles/9534590 describes the export; its columns as seen in files of 2025-11 ' +
      '(https://github.com/erezgit/my-jarvis-desktop, 03-anthropic-schema-comparison.md) and of 2026-09 ' +
      '(https://github.com/wanlonghenry/aiecon, examples). Read 2026-11-29',
    provider: 'anthropic',
    day: { column: 'usage_date_utc', unit: 'date' },
    model: 'model_version',
    tokens: {
      input: { column: 'usage_input_tokens_no_cache' },
      cache_read: { column: 'usage_input_tokens_cache_read' },
      cache_write: { column: 'usage_input_tokens_cache_write_5m' },
      cache_write_1h: { column: 'usage_input_tokens_cache_write_1h' },
      output: { column: 'usage_output_tokens' },
    },
    optional: [],
  },
  // `model` is there only where the usage was grouped by it.
  openai: {
    source:
      'https://developers.openai.com/api/reference, usage of completions, has the names; the columns of time, the ' +
      'fractions and the rows without usage as seen in a file of 2025-10 (https://github.com/xavierjflanagan/Guardian, ' +
      'openai-usage-and-cost-report-2025-10-12.md). Read 2026-11-29',
    provider: 'openai',
    day: { column: 'start_time', unit: 'seconds' },
    model: 'model',
    tokens: {
      input: { column: 'input_tokens', less: ['input_cached_tokens', 'input_cache_write_tokens'] },
      cache_read: { column: 'input_cached_tokens' },
      cache_write: { column: 'input_cache_write_tokens' },
      output: { column: 'output_tokens' },
    },
    optional: ['input_cache_write_tokens'],
  },
  generic: {
    source: 'docs/operate/reconciling.md#files',
    day: { column: 'day', unit: 'date' },
    model: 'model',
    tokens: {
      input: { column: 'input_tokens' },
      cache_read: { column: 'cache_read_tokens' },
      cache_write: { column: 'cache_write_tokens' },
      cache_write_1h: { column: 'cache_write_1h_tokens' },
      output: { column: 'output_tokens' },
    },
    optional: ['cache_read_tokens', 'cache_write_tokens', 'cache_write_1h_tokens'],
    isClosed: true,
  },
};
