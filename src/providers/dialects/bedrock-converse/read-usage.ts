import type { Usage } from '../../../core/conversation/usage.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { figuresOf, readCount } from '../figures.js';
import { listOf, objectOf } from '../read-json.js';
import { TABLE } from './table.js';

const figures = figuresOf(TABLE);

const HOUR = '1h';

/**
 * The usage object of a reply. `inputTokens` excludes cache reads and cache writes: the total is the sum of all three
 * (docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html, read 2026-11-23).
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputTokens = figures.input(value);
  const outputTokens = figures.output(value);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cacheReadTokens = figures.cache_read(value);
  const written = figures.cache_write(value);
  // A part above its total is reduced to it.
  const hour = Math.min(hourWrites(value), written ?? 0);
  // Filled field by field: conditional spreads would cost an object each, on every reply.
  const usage: { -readonly [Key in keyof Usage]: Usage[Key] } = { extras: { vendor: 'amazon', value } };
  if (inputTokens !== undefined) usage.inputTokens = inputTokens;
  if (outputTokens !== undefined) usage.outputTokens = outputTokens;
  if (cacheReadTokens !== undefined) usage.cacheReadTokens = cacheReadTokens;
  if (written !== undefined) usage.cacheWriteTokens = written - hour;
  if (hour > 0) usage.cacheWrite1hTokens = hour;
  return usage;
}

function hourWrites(value: JsonObject): number {
  let sum = 0;
  for (const entry of listOf(value['cacheDetails'])) {
    const { ttl, inputTokens } = objectOf(entry);
    if (ttl === HOUR) sum += readCount(inputTokens) ?? 0;
  }
  return sum;
}
