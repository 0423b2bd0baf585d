import type { Usage } from '../../../core/conversation/usage.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';

/**
 * Reads the usage object of a chat reply or chunk. Figures that are not whole numbers from zero
 * up are taken as not said.
 * @returns undefined when it is no object or says nothing of tokens
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = readCount(value['prompt_tokens']);
  const completion = readCount(value['completion_tokens']);
  if (prompt === undefined && completion === undefined) return undefined;
  const promptDetails = objectOf(value['prompt_tokens_details']);
  const reasoning = readCount(objectOf(value['completion_tokens_details'])['reasoning_tokens']);
  // DeepSeek counts cache hits beside the prompt, Moonshot at the top level.
  const cached = fitting(
    readCount(promptDetails['cached_tokens']) ??
      readCount(value['prompt_cache_hit_tokens']) ??
      readCount(value['cached_tokens']),
    prompt,
  );
  const uncached = prompt === undefined ? undefined : prompt - (cached ?? 0);
  const written = fitting(readCount(promptDetails['cache_write_tokens']), uncached);
  const output = outputTokens(prompt, completion, reasoning, readCount(value['total_tokens']));
  const searches = readCount(objectOf(value['server_tool_use_details'])['web_search_requests']);
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

/** xAI leaves reasoning out of `completion_tokens`; its total tells. */
function outputTokens(
  prompt: number | undefined,
  completion: number | undefined,
  reasoning: number | undefined,
  total: number | undefined,
): number | undefined {
  if (prompt === undefined || completion === undefined || reasoning === undefined) return completion;
  return reasoning > 0 && total === prompt + completion + reasoning ? completion + reasoning : completion;
}

/** A part that is larger than its whole is no figure. */
function fitting(part: number | undefined, whole: number | undefined): number | undefined {
  return part !== undefined && whole !== undefined && part <= whole ? part : undefined;
}

function readCount(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function objectOf(value: Json | undefined): { readonly [key: string]: Json | undefined } {
  return isJsonObject(value) ? value : {};
}
