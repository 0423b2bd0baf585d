import type {
  ModelRequest,
  OutputFormat,
  OutputModality,
  PluginEntry,
  StopCondition,
} from '../../core/conversation/request.js';
import type { Effort } from '../../core/conversation/effort.js';
import { definedOnly } from '../../core/defined.js';
import { GatewayError } from '../../core/errors.js';
import { printJson, weigh } from '../../core/json/json.js';
import { readModelName } from '../../core/routing/model-name.js';
import {
  type PercentileCutoffs,
  type PriceCaps,
  type ProviderPreferences,
  type Sort,
} from '../../core/routing/preferences.js';
import { invalidField } from './invalid-field.js';
import type { RequestHeaders } from './read-headers.js';
import {
  LABEL_CHARACTERS_MAX,
  TRACE_BYTES_MAX,
  type WireJsonSchema,
  type WireReasoning,
  type WireStopCondition,
} from './schemas/options.js';
import type { WirePreferences, WireRoute } from './schemas/routing.js';

/**
 * The suffix `:online` on any of the models enables the `web` plugin, unless the body configures it
 * (docs/use/choosing-providers.md#suffixes-of-models).
 * @param models all that may answer, as the caller named them
 */
export function withOnline(plugins: readonly PluginEntry[], models: readonly string[]): readonly PluginEntry[] {
  for (const name of models) {
    if (name.includes(':') && readModelName(name).online)
      return plugins.some(({ id }) => id === 'web') ? plugins : [...plugins, { id: 'web' }];
  }
  return plugins;
}

/** No valid `trace` weighs more: `weigh` has at most four bytes for one byte of JSON. */
const WEIGHT_MAX = 4 * TRACE_BYTES_MAX;

/**
 * Grouping keys, which are recorded with every generation.
 * @throws GatewayError `invalid-request` where they are too long
 */
export function readTrace(trace: NonNullable<ModelRequest['trace']>): NonNullable<ModelRequest['trace']> {
  // A trace that is certainly too long is not printed.
  const isNear = weigh(trace, WEIGHT_MAX + 1) <= WEIGHT_MAX;
  if (isNear && Buffer.byteLength(printJson(trace)) <= TRACE_BYTES_MAX) return trace;
  throw new GatewayError('invalid-request', `trace: must have at most ${TRACE_BYTES_MAX} bytes as JSON`);
}

/** When the loop of tools that the gateway runs ends (docs/use/tools-and-plugins.md#the-loop). */
export const readStopConditions = (wire: WireStopCondition | readonly WireStopCondition[]): StopCondition[] =>
  [wire].flat().map(readCondition);

function readCondition(condition: WireStopCondition): StopCondition {
  switch (condition.type) {
    case 'step_count_is':
      return { type: 'step-count', stepCount: condition.step_count };
    case 'has_tool_call':
      return { type: 'tool-call', toolName: condition.tool_name };
    case 'max_tokens_used':
      return { type: 'tokens-used', maxTokens: condition.max_tokens };
    case 'max_cost':
      return { type: 'cost', maxUsd: condition.max_cost_in_dollars };
    case 'finish_reason_is':
      return { type: 'finish-reason', reason: condition.reason };
  }
}

/**
 * docs/use/choosing-providers.md#provider-preferences. Null and absence are the same here: each field's default
 * applies. The deprecated `route` applies only without `sort.partition` (docs/use/choosing-providers.md#route).
 */
export function readPreferences(
  wire: WirePreferences | null | undefined,
  route: WireRoute | undefined,
): ProviderPreferences {
  const { by, partition } = readSort(wire?.sort);
  const effectivePartition = partition ?? partitionOf(route);
  const maxPrice = wire?.max_price && readPriceCaps(wire.max_price);
  const maxLatency = readCutoffs(wire?.preferred_max_latency);
  const minThroughput = readCutoffs(wire?.preferred_min_throughput);
  return definedOnly({
    allowFallbacks: wire?.allow_fallbacks,
    dataCollection: wire?.data_collection,
    enforceDistillableText: wire?.enforce_distillable_text,
    ignore: wire?.ignore,
    only: wire?.only,
    order: wire?.order,
    maxPrice,
    quantizations: wire?.quantizations,
    requireParameters: wire?.require_parameters,
    sort: by,
    partition: effectivePartition,
    zeroDataRetention: wire?.zdr,
    preferredMaxLatency: maxLatency,
    preferredMinThroughput: minThroughput,
  });
}

function readSort(sort: WirePreferences['sort']): { by?: Sort | null; partition?: 'model' | 'none' | null } {
  if (sort === undefined || sort === null) return {};
  return typeof sort === 'string' ? { by: sort } : sort;
}

function partitionOf(route: WireRoute | undefined): 'model' | 'none' | undefined {
  switch (route) {
    case 'fallback':
      return 'model';
    case 'sort':
      return 'none';
    case null:
    case undefined:
      return undefined;
  }
}

function readPriceCaps(caps: NonNullable<WirePreferences['max_price']>): PriceCaps {
  const { prompt, completion, image, audio, request } = caps;
  return definedOnly({
    prompt: decimalText(prompt),
    completion: decimalText(completion),
    image: decimalText(image),
    audio: decimalText(audio),
    request: decimalText(request),
  });
}

const DECIMALS = 12;

/** Without an exponent, as amounts are read elsewhere; a cap is cut to the smallest amount that can be charged. */
function decimalText(amount: string | number | undefined): string | undefined {
  if (typeof amount !== 'number') return amount;
  const text = amount.toFixed(DECIMALS);
  return text.replace(/\.?0+$/, '');
}

function readCutoffs(cutoffs: WirePreferences['preferred_max_latency']): PercentileCutoffs | undefined {
  if (cutoffs === undefined || cutoffs === null) return undefined;
  if (typeof cutoffs === 'number') return { p50: cutoffs };
  const { p50, p75, p90, p99 } = cutoffs;
  return definedOnly({ p50, p75, p90, p99 });
}

/**
 * docs/use/choosing-providers.md#sessions: the body's, else the header's, else the key of the prompt cache. An empty
 * one groups nothing.
 */
export function readSessionId(
  { session_id: own, prompt_cache_key: key }: { session_id?: string | null; prompt_cache_key?: string | null },
  headers: RequestHeaders,
): string | undefined {
  const ofKey = key && key.length <= LABEL_CHARACTERS_MAX ? key : '';
  return (own ?? headers.sessionId ?? ofKey) || undefined;
}

/** @throws GatewayError for sound, which no reply here has */
export function readModality(modality: 'text' | 'image' | 'audio', index: number): OutputModality {
  if (modality === 'audio') throw invalidField(`modalities.${index}`, 'this gateway answers in text and images only');
  return modality;
}

/**
 * Options of reasoning.
 * @throws GatewayError for two efforts
 */
export function readReasoningOptions(wire: {
  readonly reasoning?: WireReasoning | null;
  readonly reasoning_effort?: Effort | null;
}): Pick<ModelRequest, 'thinking' | 'effort'> {
  const { reasoning, reasoning_effort: outer } = wire;
  const { effort: inner, enabled, max_tokens: budgetTokens } = reasoning ?? {};
  const effort = inner ?? outer ?? undefined;
  // Programs send their usual effort or budget beside the switch: off is off.
  if (enabled === false) return { thinking: { type: 'disabled' }, ...(effort === 'none' && { effort }) };
  if (outer && inner && outer !== inner) {
    throw invalidField('reasoning_effort', `contradicts reasoning.effort, which is ${inner}; send one of the two`);
  }
  if (effort === 'none') return { effort };
  if (budgetTokens) return { thinking: { type: 'enabled', budgetTokens }, ...(effort && { effort }) };
  if (effort) return { effort };
  return enabled ? { thinking: { type: 'adaptive' } } : {};
}

/** A schema that the answer has to fit. */
export const readJsonSchema = ({ name, description, schema, strict }: WireJsonSchema): OutputFormat => ({
  type: 'json-schema',
  schema: schema ?? {},
  name,
  ...(typeof description === 'string' && { description }),
  ...(typeof strict === 'boolean' && { strict }),
});
