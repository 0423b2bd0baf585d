import type { Usage } from '../../../core/conversation/usage.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import { figuresOf, readCount } from '../figures.js';
import { isPromptFree, promptClasses, wholePrompt } from '../prompt-classes.js';
import { fitting, objectOf } from '../read-json.js';
import { TABLE } from './table.js';

const figures = figuresOf(TABLE);

/**
 * Reads the usage object of a chat reply or chunk, even with implausible figures; a figure below zero or of another
 * type counts as absent.
 * @returns undefined when it is no object or has no figure of tokens
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = figures.input(value);
  const completion = figures.output(value);
  if (prompt === undefined && completion === undefined) return undefined;
  const reasoning = figures.reasoning(value);
  const images = fitting(figures.image_output(value), completion);
  const total = readCount(value['total_tokens']);
  const classes = promptClasses(figures, value, prompt, completion, total);
  const audio = readCount(objectOf(value['prompt_tokens_details'])['audio_tokens']);
  const output = outputTokens(wholePrompt(classes), completion, total, audio);
  const searches = figures.web_searches(value);
  return {
    extras: { vendor: 'openai', value },
    ...classes,
    ...(output !== undefined && { outputTokens: output }),
    ...(prompt === 0 && isPromptFree(value, 'upstream_inference_prompt_cost') && { promptIsFree: true }),
    ...(reasoning !== undefined && reasoning <= (output ?? 0) && { reasoningTokens: reasoning }),
    ...(images !== undefined && { imageTokens: images }),
    ...(searches !== undefined && { webSearchRequests: searches }),
  };
}

/**
 * xAI leaves reasoning out of `completion_tokens`, and Gemini's chat endpoint has no field for it: the difference from
 * the total includes it. Audio in the total that was read beside the prompt (Mistral's) is no output.
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
