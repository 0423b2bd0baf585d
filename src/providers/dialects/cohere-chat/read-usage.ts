import type { Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import { figuresOf } from '../figures.js';
import { TABLE } from './table.js';

const figures = figuresOf(TABLE);

/**
 * Reads `usage`. What is billed counts: `tokens` holds the vendor's own template besides, which nobody pays for, and
 * `cached_tokens` is a part of that (docs.cohere.com, guide on pricing), so that no cache reads are told.
 * @returns undefined when it says nothing of tokens
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputTokens = figures.input(value);
  const outputTokens = figures.output(value);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const reasoning = figures.reasoning(value);
  const reasoningTokens = reasoning !== undefined && reasoning <= (outputTokens ?? 0) ? reasoning : undefined;
  return definedOnly({ extras: { vendor: 'cohere' as const, value }, inputTokens, outputTokens, reasoningTokens });
}
