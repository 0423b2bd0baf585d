import type { ModelRequest, PluginEntry, StopCondition } from '../../core/conversation/request.js';
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
import { TRACE_BYTES_MAX, type WireStopCondition } from './schemas/options.js';
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
