import type { TokenClass } from '../../core/routing/leg-price.js';
import type { GENERATION_COLUMNS } from '../generations/generation-columns.js';

/** A class of tokens that vendors bill apart; each token is in one of them. */
export type UsageClass = 'input' | 'cache_read' | 'cache_write' | 'cache_write_1h' | 'output';

interface ClassRow {
  /** The column of a generation. */
  readonly column: keyof typeof GENERATION_COLUMNS;
  readonly price: TokenClass;
}

/** Reasoning is part of `output`. In the order in which they are printed. */
export const USAGE_CLASSES = {
  input: { column: 'prompt_tokens', price: 'prompt' },
  cache_read: { column: 'cache_read_tokens', price: 'inputCacheRead' },
  cache_write: { column: 'cache_write_tokens', price: 'inputCacheWrite' },
  cache_write_1h: { column: 'cache_write_1h_tokens', price: 'inputCacheWrite1h' },
  output: { column: 'completion_tokens', price: 'completion' },
} as const satisfies Readonly<Record<UsageClass, ClassRow>>;

export const CLASS_NAMES = Object.keys(USAGE_CLASSES) as readonly UsageClass[];

/** Tokens by class. */
export type TokenCounts = Record<UsageClass, bigint>;

export const noTokens = (): TokenCounts => ({
  input: 0n,
  cache_read: 0n,
  cache_write: 0n,
  cache_write_1h: 0n,
  output: 0n,
});

export function addTokens(to: TokenCounts, counts: Readonly<TokenCounts>): void {
  for (const name of CLASS_NAMES) to[name] += counts[name];
}

/** A date or `latest` at the end of a model's name: OpenAI has dashes within it, Google's Vertex an `@` before it. */
const SNAPSHOT = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/** The name of a model without its snapshot: vendors list the snapshot that answered where an alias was sent. */
export const withoutSnapshot = (model: string): string => model.replace(SNAPSHOT, '');

/** Sums of a day and a model by one key. */
export const usageKey = (day: string, model: string): string => `${day} ${model}`;
