import type { Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import { objectOf, readCount } from '../read-json.js';

/**
 * Reads `usage`. What is billed counts: `tokens` holds the vendor's own template besides, which nobody pays for, and
 * `cached_tokens` is a part of that (docs.cohere.com, guide on pricing), so that no cache reads are told.
 * @returns undefined when it says nothing of tokens
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const billed = objectOf(value['billed_units']);
  const tokens = objectOf(value['tokens']);
  const inputTokens = readCount(billed['input_tokens']) ?? readCount(tokens['input_tokens']);
  const outputTokens = readCount(billed['output_tokens']) ?? readCount(tokens['output_tokens']);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const reasoning = readCount(tokens['reasoning_tokens']);
  const reasoningTokens = reasoning !== undefined && reasoning <= (outputTokens ?? 0) ? reasoning : undefined;
  return definedOnly({ extras: { vendor: 'cohere' as const, value }, inputTokens, outputTokens, reasoningTokens });
}
