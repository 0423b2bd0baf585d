import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf } from '../read-json.js';

/**
 * How likely the words were, in the chat format's shape. The vendor tells pieces of one or more tokens: a piece is as
 * likely as its tokens one after the other.
 * @param value one piece, as streams have it, or the list of a whole reply
 */
export function readLogprobs(value: Json | undefined): JsonObject | undefined {
  const pieces = isJsonObject(value) ? [value] : listOf(value);
  const content = pieces.flatMap((piece): JsonObject[] => {
    if (!isJsonObject(piece)) return [];
    const logprobs = listOf(piece['logprobs']).filter((one) => typeof one === 'number');
    if (logprobs.length === 0 || typeof piece['text'] !== 'string') return [];
    const logprob = logprobs.reduce((sum, one) => sum + one, 0);
    return [{ token: piece['text'], logprob, bytes: null, top_logprobs: [] }];
  });
  return content.length === 0 ? undefined : { logprobs: { content } };
}
