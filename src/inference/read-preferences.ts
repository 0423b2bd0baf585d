import { said } from '../core/said.js';
import type { PercentileCutoffs, PriceCaps, ProviderPreferences, Sort } from '../core/routing/preferences.js';
import type { WirePreferences, WireRoute } from './schemas/routing.js';

/**
 * Scope 2.4. Null and absence are the same here: each field's default holds. The deprecated `route` speaks only where
 * `sort.partition` does not (WIRE 1.2).
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
  return said({
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
  return said({
    prompt: decimalText(prompt),
    completion: decimalText(completion),
    image: decimalText(image),
    audio: decimalText(audio),
    request: decimalText(request),
  });
}

const DECIMALS = 12;

/** Without an exponent, as amounts are read elsewhere; a cap is cut to the finest amount that can be charged. */
function decimalText(amount: string | number | undefined): string | undefined {
  if (typeof amount !== 'number') return amount;
  const text = amount.toFixed(DECIMALS);
  return text.replace(/\.?0+$/, '');
}

function readCutoffs(cutoffs: WirePreferences['preferred_max_latency']): PercentileCutoffs | undefined {
  if (cutoffs === undefined || cutoffs === null) return undefined;
  if (typeof cutoffs === 'number') return { p50: cutoffs };
  const { p50, p75, p90, p99 } = cutoffs;
  return said({ p50, p75, p90, p99 });
}
