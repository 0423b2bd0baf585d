import type { Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import { figuresOf } from '../figures.js';
import { fitting } from '../read-json.js';
import { TABLE } from './table.js';

const figures = figuresOf(TABLE);

/**
 * Reads the usage object of a reply, whatever its figures are; what is no number from zero on is taken as not said.
 * Cached and written tokens are part of `input_tokens`, reasoning is part of `output_tokens`.
 * @returns undefined when it is no object or says nothing of tokens
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = figures.input(value);
  const output = figures.output(value);
  if (input === undefined && output === undefined) return undefined;
  const cached = fitting(figures.cache_read(value), input);
  const uncached = input === undefined ? undefined : input - (cached ?? 0);
  const written = fitting(figures.cache_write(value), uncached);
  return definedOnly({
    extras: { vendor: 'openai-responses' as const, value },
    inputTokens: uncached === undefined ? undefined : uncached - (written ?? 0),
    outputTokens: output,
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: fitting(figures.reasoning(value), output ?? 0),
    webSearchRequests: figures.web_searches(value),
  });
}
