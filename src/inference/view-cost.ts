import type { Usage } from '../core/conversation/usage.js';
import type { JsonObject } from '../core/json/json.js';
import type { Bill } from '../core/money/bill.js';
import { usdNumber } from '../core/money/credits.js';

/** What the caller pays, as far as it is known. */
export interface Billing {
  readonly isByok: boolean;
  /** Undefined while it is not known. */
  readonly bill: Bill | undefined;
}

/**
 * Parts of the list price (docs/wire/messages.md#cost-details); the whole of it is told where the caller's own account
 * at the provider pays it.
 */
export function viewCostDetails({ isByok, byokCost, list }: Bill): JsonObject {
  return {
    upstream_inference_cost: isByok ? usdNumber(byokCost) : null,
    upstream_inference_prompt_cost: usdNumber(list.prompt),
    upstream_inference_completions_cost: usdNumber(list.completion),
    server_tool_cost: usdNumber(list.tools),
  };
}

/** The words of tier, speed and place in a reply's usage. */
export interface ServedWords {
  readonly serviceTier: Usage['serviceTier'] | undefined;
  readonly speed: Usage['speed'] | undefined;
  readonly inferenceGeo: Usage['inferenceGeo'] | undefined;
}

/**
 * What was charged, in these words (docs/wire/messages.md#speed-and-tier); as it was reported while nothing is charged
 * yet, and where it was the plain price. Fast is one service of two names, and the tier's is `priority`.
 */
export function chargedWords({ serviceTier, speed, inferenceGeo }: Usage, bill: Bill | undefined): ServedWords {
  if (!bill?.rate) return { serviceTier, speed, inferenceGeo };
  const { tier, endpoint } = bill.rate;
  const isPlain = tier === 'standard';
  // What ran in a priced place unasked was not charged so.
  const place = inferenceGeo !== undefined && endpoint.geographies?.has(inferenceGeo) ? undefined : inferenceGeo;
  return {
    serviceTier: isPlain ? serviceTier && 'standard' : tier === 'fast' ? 'priority' : tier,
    speed: tier === 'fast' ? 'fast' : 'standard',
    inferenceGeo: endpoint.geography?.word ?? place,
  };
}
