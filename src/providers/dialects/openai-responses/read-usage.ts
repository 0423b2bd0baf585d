import type { Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { fitting, objectOf, readCount } from '../read-json.js';

/**
 * Reads the usage object of a reply, whatever its figures are; what is no number from zero on is taken as not said.
 * Cached and written tokens are part of `input_tokens`, reasoning is part of `output_tokens`.
 * @returns undefined when it is no object or says nothing of tokens
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = readCount(value['input_tokens']);
  const output = readCount(value['output_tokens']);
  if (input === undefined && output === undefined) return undefined;
  const details = objectOf(value['input_tokens_details']);
  const cached = fitting(readCount(details['cached_tokens']), input);
  const uncached = input === undefined ? undefined : input - (cached ?? 0);
  const written = fitting(readCount(details['cache_write_tokens']), uncached);
  const reasoning = readCount(objectOf(value['output_tokens_details'])['reasoning_tokens']);
  return definedOnly({
    extras: { vendor: 'openai-responses' as const, value },
    inputTokens: uncached === undefined ? undefined : uncached - (written ?? 0),
    outputTokens: output,
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: fitting(reasoning, output ?? 0),
    webSearchRequests: readSearches(value),
  });
}

/** How often the vendor searched, where it counts that itself: OpenRouter, and xAI by what it charges for. */
function readSearches(value: JsonObject): number | undefined {
  return (
    readCount(objectOf(value['server_tool_use_details'])['web_search_requests']) ??
    readCount(objectOf(value['server_side_tool_usage_details'])['web_search_calls'])
  );
}
