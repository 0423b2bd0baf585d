import type { Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import { figuresOf, readCount } from '../figures.js';
import { fitting, objectOf } from '../read-json.js';
import { TABLE } from './table.js';

const figures = figuresOf(TABLE);

/**
 * Reads the usage object of a reply, whatever its figures are; what is no number from zero on is taken as not said.
 * Cached and written tokens are part of `input_tokens`, reasoning is part of `output_tokens`.
 * @param toolUsage what the vendor's tools used, which stands beside the usage and is no part of it
 * @returns undefined when it is no object or says nothing of tokens
 */
export function readUsage(value: Json | undefined, toolUsage: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = figures.input(value);
  const output = figures.output(value);
  if (input === undefined && output === undefined) return undefined;
  const cached = fitting(figures.cache_read(value), input);
  const uncached = input === undefined ? undefined : input - (cached ?? 0);
  const written = fitting(figures.cache_write(value), uncached);
  const drawing = readDrawing(toolUsage);
  // Of a side that the model does not tell, the tool's figure alone would pass for all of it.
  return definedOnly({
    extras: { vendor: 'openai-responses' as const, value },
    inputTokens: uncached === undefined ? undefined : uncached - (written ?? 0) + drawing.input,
    outputTokens: output === undefined ? undefined : output + drawing.output,
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: fitting(figures.reasoning(value), output ?? 0),
    // Replies tell the tool in which nothing was drawn, too.
    imageTokens: output === undefined || drawing.images === 0 ? undefined : drawing.images,
    webSearchRequests: figures.web_searches(value),
  });
}

/** Tokens of the tool `image_generation`: what it read, what it put out, and how much of that is pictures. */
interface Drawing {
  readonly input: number;
  readonly output: number;
  readonly images: number;
}

/** All of its output is pictures where it does not tell them apart: they are the dearer of the two. */
function readDrawing(toolUsage: Json | undefined): Drawing {
  if (TABLE.usage.image_output.rule.type !== 'mapped') return { input: 0, output: 0, images: 0 };
  const told = objectOf(objectOf(toolUsage)['image_gen']);
  const output = readCount(told['output_tokens']) ?? 0;
  const images = readCount(objectOf(told['output_tokens_details'])['image_tokens']);
  return { input: readCount(told['input_tokens']) ?? 0, output, images: fitting(images, output) ?? output };
}
