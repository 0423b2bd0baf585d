import type { Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import { figuresOf } from '../figures.js';
import { TABLE } from './table.js';

const figures = figuresOf(TABLE);

/**
 * Reads `usage`. Only billed units count. `tokens` also contains the vendor's own template, which is not billed.
 * `cached_tokens` is a part of `tokens` (docs.cohere.com, guide on pricing), so no cache reads are reported.
 * @returns undefined when it has no figure of tokens
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
