import type { Usage } from '../../../core/conversation/usage.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import { figuresOf, readCount } from '../figures.js';
import { fitting, objectOf } from '../read-json.js';
import { TABLE } from './table.js';

const figures = figuresOf(TABLE);

/**
 * Reads the usage object of a chat reply or chunk, whatever its figures are; what is no number from zero on is taken as
 * not said.
 * @returns undefined when it is no object or says nothing of tokens
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = figures.input(value);
  const completion = figures.output(value);
  if (prompt === undefined && completion === undefined) return undefined;
  const reasoning = figures.reasoning(value);
  const images = fitting(figures.image_output(value), completion);
  const cached = fitting(figures.cache_read(value), prompt);
  const uncached = prompt === undefined ? undefined : prompt - (cached ?? 0);
  const written = fitting(figures.cache_write(value), uncached);
  const audio = readCount(objectOf(value['prompt_tokens_details'])['audio_tokens']);
  const output = outputTokens(prompt, completion, readCount(value['total_tokens']), audio);
  const searches = figures.web_searches(value);
  return {
    extras: { vendor: 'openai', value },
    ...(uncached !== undefined && { inputTokens: uncached - (written ?? 0) }),
    ...(output !== undefined && { outputTokens: output }),
    ...(cached !== undefined && { cacheReadTokens: cached }),
    ...(written !== undefined && { cacheWriteTokens: written }),
    ...(reasoning !== undefined && reasoning <= (output ?? 0) && { reasoningTokens: reasoning }),
    ...(images !== undefined && { imageTokens: images }),
    ...(searches !== undefined && { webSearchRequests: searches }),
  };
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
