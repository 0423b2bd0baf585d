import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf } from '../read-json.js';

/**
 * Log probabilities of the text, in the chat format's shape. The vendor reports pieces of one or more tokens; the value
 * of a piece is the sum of its tokens.
 * @param value one piece in streams, the list in a whole reply
 */
export function readLogprobs(value: Json | undefined): JsonObject | undefined {
  const pieces = isJsonObject(value) ? [value] : listOf(value);
  const content = pieces.flatMap((piece): JsonObject[] => {
    if (!isJsonObject(piece)) return [];
    const logprobs = listOf(piece['logprobs']).filter((entry) => typeof entry === 'number');
    if (logprobs.length === 0 || typeof piece['text'] !== 'string') return [];
    const logprob = logprobs.reduce((sum, entry) => sum + entry, 0);
    return [{ token: piece['text'], logprob, bytes: null, top_logprobs: [] }];
  });
  return content.length === 0 ? undefined : { logprobs: { content } };
}
