import type { TokenFigures, Usage, UsageIteration } from '../../../core/conversation/usage.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';

/** The usage before the first report. */
export const NO_RAW_USAGE: JsonObject = {};

/**
 * A later usage object over an earlier one: figures are cumulative and replace, `null` says nothing
 * (docs/reasons/money.md#cumulative-usage).
 */
export function mergeRawUsage(before: JsonObject, after: JsonObject): JsonObject {
  const merged: { [key: string]: Json | undefined } = { ...before };
  for (const key of Object.keys(after)) {
    // Assigned, `__proto__` would not be a key; no usage object has use for it.
    if (key !== '__proto__' && (after[key] !== null || !Object.hasOwn(merged, key))) merged[key] = after[key];
  }
  return merged;
}

/** The vendor's usage object in neutral figures, whatever they are; what is no number from zero on was not said. */
export function readUsage(raw: JsonObject): Usage {
  const written = readCacheWrites(raw);
  const details = objectAt(raw, 'output_tokens_details');
  const serverTools = objectAt(raw, 'server_tool_use');
  const inputTokens = countAt(raw, 'input_tokens');
  const outputTokens = countAt(raw, 'output_tokens');
  const cacheReadTokens = countAt(raw, 'cache_read_input_tokens');
  const reasoningTokens = countAt(details, 'thinking_tokens');
  const webSearchRequests = countAt(serverTools, 'web_search_requests');
  const webFetchRequests = countAt(serverTools, 'web_fetch_requests');
  const iterations = readIterations(raw['iterations']);
  const serviceTier = raw['service_tier'];
  const speed = raw['speed'];
  const inferenceGeo = raw['inference_geo'];
  // Filled field by field: conditional spreads would cost an object each, on every reply.
  const usage: { -readonly [Key in keyof Usage]: Usage[Key] } = written;
  if (inputTokens !== undefined) usage.inputTokens = inputTokens;
  if (outputTokens !== undefined) usage.outputTokens = outputTokens;
  if (cacheReadTokens !== undefined) usage.cacheReadTokens = cacheReadTokens;
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens;
  if (webSearchRequests !== undefined) usage.webSearchRequests = webSearchRequests;
  if (webFetchRequests !== undefined) usage.webFetchRequests = webFetchRequests;
  if (iterations !== undefined) usage.iterations = iterations;
  if (typeof serviceTier === 'string') usage.serviceTier = serviceTier;
  if (speed === 'standard' || speed === 'fast') usage.speed = speed;
  if (typeof inferenceGeo === 'string') usage.inferenceGeo = inferenceGeo;
  usage.extras = { vendor: 'anthropic', value: raw };
  return usage;
}

/** Whether a report has a figure of the output, be it one that can be believed or not. */
export const tellsOutput = (raw: JsonObject): boolean => countAt(raw, 'output_tokens') !== undefined;

/** The vendor's words for its calls. Others are not known, and are passed over. */
const KINDS: ReadonlyMap<Json | undefined, UsageIteration['kind']> = new Map([
  ['message', 'message'],
  ['compaction', 'compaction'],
  ['advisor_message', 'advisor'],
]);

function readIterations(value: Json | undefined): readonly UsageIteration[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const iterations: UsageIteration[] = [];
  for (const entry of value as readonly Json[]) {
    const kind = isJsonObject(entry) ? KINDS.get(entry['type']) : undefined;
    if (!isJsonObject(entry) || kind === undefined) continue;
    const { model } = entry;
    iterations.push({ kind, ...(typeof model === 'string' && { model }), ...readTokens(entry) });
  }
  return iterations;
}

function readTokens(raw: JsonObject): TokenFigures {
  const inputTokens = countAt(raw, 'input_tokens');
  const outputTokens = countAt(raw, 'output_tokens');
  const cacheReadTokens = countAt(raw, 'cache_read_input_tokens');
  return {
    ...readCacheWrites(raw),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
  };
}

/**
 * Cache writes by how long they live. The total and its two parts may come in different reports, one staler
 * than the other; both only rise, so the larger is the newer. What the parts do not explain was written for
 * five minutes, the default.
 */
function readCacheWrites(raw: JsonObject): Pick<Usage, 'cacheWriteTokens' | 'cacheWrite1hTokens'> {
  const parts = objectAt(raw, 'cache_creation');
  const total = countAt(raw, 'cache_creation_input_tokens');
  const fiveMinutes = countAt(parts, 'ephemeral_5m_input_tokens');
  const oneHour = countAt(parts, 'ephemeral_1h_input_tokens');
  if (total === undefined && fiveMinutes === undefined && oneHour === undefined) return {};
  return {
    cacheWriteTokens: Math.max((total ?? 0) - (oneHour ?? 0), fiveMinutes ?? 0),
    ...(oneHour !== undefined && { cacheWrite1hTokens: oneHour }),
  };
}

function objectAt(value: JsonObject, key: string): JsonObject | undefined {
  const member = value[key];
  return isJsonObject(member) ? member : undefined;
}

function countAt(value: JsonObject | undefined, key: string): number | undefined {
  const member = value?.[key];
  return typeof member === 'number' && member >= 0 && member <= Number.MAX_SAFE_INTEGER ? member : undefined;
}
