import type { TokenFigures, Usage, UsageIteration } from '../../../core/conversation/usage.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { figuresOf, readCount } from '../figures.js';
import { isPromptFree } from '../prompt-classes.js';
import { objectOf } from '../read-json.js';
import { TABLE } from './table.js';

const figures = figuresOf(TABLE);

/** The usage before the first report. */
export const NO_RAW_USAGE: JsonObject = {};

/**
 * Merges a later usage object into an earlier one: figures are cumulative and replace, `null` means no figure
 * (docs/contribute/decisions/0035-one-rule-for-usage.md).
 */
export function mergeRawUsage(before: JsonObject, after: JsonObject): JsonObject {
  const merged: { [key: string]: Json | undefined } = { ...before };
  for (const key of Object.keys(after)) {
    // Assigning `__proto__` would set the prototype instead of a key; no usage object needs it.
    if (key !== '__proto__' && (after[key] !== null || !Object.hasOwn(merged, key))) merged[key] = after[key];
  }
  return merged;
}

/**
 * The vendor's usage object in neutral figures, even implausible ones; a figure below zero or of another type is left
 * out.
 */
export function readUsage(raw: JsonObject): Usage {
  const inputTokens = figures.input(raw);
  const outputTokens = figures.output(raw);
  const cacheReadTokens = figures.cache_read(raw);
  const reasoningTokens = figures.reasoning(raw);
  const webSearchRequests = figures.web_searches(raw);
  const webFetchRequests = figures.web_fetches(raw);
  const iterations = raw['iterations'] === undefined ? undefined : readIterations(raw['iterations']);
  const serviceTier = raw['service_tier'];
  const speed = raw['speed'];
  const inferenceGeo = raw['inference_geo'];
  // Filled field by field: conditional spreads would cost an object each, on every reply.
  const usage: { -readonly [Key in keyof Usage]: Usage[Key] } = readCacheWrites(raw);
  if (inputTokens !== undefined) usage.inputTokens = inputTokens;
  if (inputTokens === 0 && isPromptFree(raw, 'upstream_inference_prompt_cost')) usage.promptIsFree = true;
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

/** Whether a report has a figure of the output, plausible or not. */
export const reportsOutput = (raw: JsonObject): boolean => figures.output(raw) !== undefined;

/** The vendor's names for its iterations. Others are unknown, and are left out. */
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
  const inputTokens = figures.input(raw);
  const outputTokens = figures.output(raw);
  const cacheReadTokens = figures.cache_read(raw);
  return {
    ...readCacheWrites(raw),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
  };
}

/**
 * Cache writes by lifetime. The total and its two parts may come in different reports, one older than the other. Both
 * only rise, so the larger is the newer. What the parts do not cover has the default lifetime, five minutes.
 */
function readCacheWrites(raw: JsonObject): Pick<Usage, 'cacheWriteTokens' | 'cacheWrite1hTokens'> {
  const total = figures.cache_write(raw);
  const parts = raw['cache_creation'];
  if (parts === undefined) return total === undefined ? {} : { cacheWriteTokens: total };
  const fiveMinutes = readCount(objectOf(parts)['ephemeral_5m_input_tokens']);
  const oneHour = figures.cache_write_1h(raw);
  if (total === undefined && fiveMinutes === undefined && oneHour === undefined) return {};
  return {
    cacheWriteTokens: Math.max((total ?? 0) - (oneHour ?? 0), fiveMinutes ?? 0),
    ...(oneHour !== undefined && { cacheWrite1hTokens: oneHour }),
  };
}
