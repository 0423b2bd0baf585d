import type { Json, JsonObject } from '../../../core/json/json.js';
import { listOf, objectOf } from '../read-json.js';

/** Log probabilities in the shape of the chat format, the only face with a field for them. */
export function readLogprobs(result: JsonObject): JsonObject {
  const top = listOf(result['topCandidates']);
  const content = listOf(result['chosenCandidates']).map((chosen, index) => ({
    ...tokenOf(chosen),
    top_logprobs: listOf(objectOf(top[index])['candidates']).map(tokenOf),
  }));
  return { content, refusal: null };
}

function tokenOf(candidate: Json): JsonObject {
  const { token, logProbability } = objectOf(candidate);
  const text = typeof token === 'string' ? token : '';
  // A probability of one is left out: its logarithm is zero.
  return { token: text, logprob: logProbability ?? 0, bytes: [...Buffer.from(text)] };
}
