import { ExactNumber, parseJson, isJsonObject, type Json } from '../core/json/json.js';

/** Longest text that is shown whole, in characters: media are mostly what is longer. */
const TEXT_MAX = 8_192;

/**
 * What a provider was sent, for its caller's eyes (docs/wire/chat.md#echo-of-the-upstream-body): as it was, but long
 * texts are cut, and say by how much.
 */
export const viewUpstreamBody = (body: string): Json => shortened(parseJson(body) as Json);

function shortened(value: Json): Json {
  if (typeof value === 'string') {
    return value.length <= TEXT_MAX
      ? value
      : `${value.slice(0, TEXT_MAX)}… (${value.length - TEXT_MAX} more characters)`;
  }
  if (Array.isArray(value)) return (value as readonly Json[]).map(shortened);
  if (!isJsonObject(value) || value instanceof ExactNumber) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member ?? null)]));
}
