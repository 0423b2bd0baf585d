import type { Usage } from '../../../core/conversation/usage.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { fitting, objectOf, readCount } from '../read-json.js';

/**
 * Reads the usage object of a chat reply or chunk, whatever its figures are; what is no number from zero on is taken as
 * not said.
 * @returns undefined when it is no object or says nothing of tokens
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = readCount(value['prompt_tokens']);
  const completion = readCount(value['completion_tokens']);
  if (prompt === undefined && completion === undefined) return undefined;
  const promptDetails = objectOf(value['prompt_tokens_details']);
  const reasoning = readCount(objectOf(value['completion_tokens_details'])['reasoning_tokens']);
  // DeepSeek counts cache hits beside the prompt, Mistral and Moonshot at the top level.
  const cached = fitting(
    readCount(promptDetails['cached_tokens']) ??
      readCount(value['prompt_cache_hit_tokens']) ??
      readCount(value['num_cached_tokens']) ??
      readCount(value['cached_tokens']),
    prompt,
  );
  const uncached = prompt === undefined ? undefined : prompt - (cached ?? 0);
  const written = fitting(readCount(promptDetails['cache_write_tokens']), uncached);
  const audio = readCount(promptDetails['audio_tokens']);
  const output = outputTokens(prompt, completion, readCount(value['total_tokens']), audio);
  const searches = readSearches(value);
  return {
    extras: { vendor: 'openai', value },
    ...(uncached !== undefined && { inputTokens: uncached - (written ?? 0) }),
    ...(output !== undefined && { outputTokens: output }),
    ...(cached !== undefined && { cacheReadTokens: cached }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(reasoning !== undefined && reasoning <= (output ?? 0) && { reasoningTokens: reasoning }),
    ...(searches !== undefined && { webSearchRequests: searches }),
  };
}

/**
 * How often the vendor searched: OpenRouter counts it under either name, Perplexity as queries, xAI as the pages that
 * were used, each by what it charges for (docs/reasons/money.md#searches-that-are-not-counted).
 */
function readSearches(value: JsonObject): number | undefined {
  return (
    readCount(objectOf(value['server_tool_use_details'])['web_search_requests']) ??
    readCount(objectOf(value['server_tool_use'])['web_search_requests']) ??
    readCount(value['num_search_queries']) ??
    readCount(value['num_sources_used'])
  );
}

/**
 * xAI leaves reasoning out of `completion_tokens`, Gemini's chat endpoint does not even name it: the total tells. What
 * of the total is audio that was read beside the prompt (Mistral's) was not put out.
 */
function outputTokens(
  prompt: number | undefined,
  completion: number | undefined,
  total: number | undefined,
  audio: number | undefined,
): number | undefined {
  if (prompt === undefined || completion === undefined || total === undefined) return completion;
  const beside = audio !== undefined && audio > prompt ? audio : 0;
  return Math.max(completion, total - prompt - beside);
}
