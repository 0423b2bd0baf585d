import type { Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import { figuresOf, readCount } from '../figures.js';
import { isPromptFree, promptClasses } from '../prompt-classes.js';
import { fitting, objectOf } from '../read-json.js';
import { TABLE } from './table.js';

const figures = figuresOf(TABLE);

/**
 * Reads the usage object of a reply, even with implausible figures; a figure below zero or of another type counts as
 * absent. Cache reads and writes are part of `input_tokens`, reasoning is part of `output_tokens`.
 * @param toolUsage usage of the vendor's tools, reported beside the usage and not part of it
 * @returns undefined when it is no object or has no figure of tokens
 */
export function readUsage(value: Json | undefined, toolUsage: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = figures.input(value);
  const output = figures.output(value);
  if (input === undefined && output === undefined) return undefined;
  const total = readCount(value['total_tokens']);
  const { inputTokens, ...cached } = promptClasses(figures, value, input, output, total);
  const drawing = readDrawing(toolUsage);
  // Where the model's own figure is missing, the tool's figure is not used: it would look like the total.
  return definedOnly({
    extras: { vendor: 'openai-responses' as const, value },
    ...cached,
    inputTokens: inputTokens === undefined ? undefined : inputTokens + drawing.input,
    outputTokens: output === undefined ? undefined : output + drawing.output,
    promptIsFree: (input === 0 && isPromptFree(value, 'upstream_inference_input_cost')) || undefined,
    reasoningTokens: fitting(figures.reasoning(value), output ?? 0),
    // Replies report the tool's usage even where it made no image.
    imageTokens: output === undefined || drawing.images === 0 ? undefined : drawing.images,
    webSearchRequests: figures.web_searches(value),
  });
}

/** Tokens of the tool `image_generation`: input, output, and the part of the output that is images. */
interface Drawing {
  readonly input: number;
  readonly output: number;
  readonly images: number;
}

/** Where it does not report images separately, all output counts as images, the more expensive kind. */
function readDrawing(toolUsage: Json | undefined): Drawing {
  if (TABLE.usage.image_output.rule.type !== 'mapped') return { input: 0, output: 0, images: 0 };
  const reported = objectOf(objectOf(toolUsage)['image_gen']);
  const output = readCount(reported['output_tokens']) ?? 0;
  const images = readCount(objectOf(reported['output_tokens_details'])['image_tokens']);
  return { input: readCount(reported['input_tokens']) ?? 0, output, images: fitting(images, output) ?? output };
}
