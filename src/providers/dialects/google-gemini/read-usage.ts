import type { Usage } from '../../../core/conversation/usage.js';
import { definedOnly } from '../../../core/defined.js';
import { isJsonObject, type Json } from '../../../core/json/json.js';
import { figuresOf, readCount } from '../figures.js';
import { listOf, nonEmpty, objectOf } from '../read-json.js';
import { TABLE } from './table.js';

const figures = figuresOf(TABLE);

/** Vertex reports the tier as a kind of traffic. */
const TIER_OF_TRAFFIC: Readonly<Record<string, string>> = {
  ON_DEMAND: 'standard',
  ON_DEMAND_FLEX: 'flex',
  ON_DEMAND_PRIORITY: 'priority',
};

/** The figure of one modality in a list (ai.google.dev/api/generate-content, ModalityTokenCount). */
function figureOf(modality: string, details: Json | undefined): number | undefined {
  if (TABLE.usage.image_output.rule.type !== 'mapped') return undefined;
  const reported = listOf(details).find((detail) => objectOf(detail)['modality'] === modality);
  return readCount(objectOf(reported)['tokenCount']);
}

/**
 * Reads `usageMetadata`. The prompt includes cache reads. It excludes tokens that tools read, which are input too.
 * Thoughts are output and are counted beside the candidates (ai.google.dev/api/generate-content, UsageMetadata). The
 * vendor leaves out figures of zero.
 * @returns undefined when it has no figure of tokens, as in some streams' interim reports
 */
export function readUsage(value: Json | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = figures.input(value);
  const candidates = figures.output(value);
  const thoughts = figures.reasoning(value);
  if (prompt === undefined && candidates === undefined) return undefined;
  const cacheRead = figures.cache_read(value);
  // A part above its total is implausible.
  const cached = cacheRead !== undefined && cacheRead <= (prompt ?? 0) ? cacheRead : undefined;
  const toolPrompt = readCount(value['toolUsePromptTokenCount']) ?? 0;
  const traffic = nonEmpty(value['trafficType']) ?? '';
  const usage: Usage = definedOnly({
    inputTokens: prompt === undefined ? undefined : prompt - (cached ?? 0) + toolPrompt,
    outputTokens: (candidates ?? 0) + (thoughts ?? 0),
    cacheReadTokens: cached,
    reasoningTokens: thoughts,
    imageTokens: figureOf('IMAGE', value['candidatesTokensDetails']),
    serviceTier:
      nonEmpty(value['serviceTier'])?.toLowerCase() ??
      (Object.hasOwn(TIER_OF_TRAFFIC, traffic) ? TIER_OF_TRAFFIC[traffic] : undefined),
  });
  return { ...usage, extras: { vendor: 'google', value } };
}
