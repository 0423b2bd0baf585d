import type { Usage } from '../../core/conversation/usage.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Bill } from '../../core/money/bill.js';
import { usdNumber } from '../../core/money/credits.js';

/** The known part of what the caller pays. */
export interface Billing {
  readonly isByok: boolean;
  /** Undefined while it is not known. */
  readonly bill: Bill | undefined;
}

/**
 * The parts of the list price (docs/use/messages.md#cost-details); the whole list price is included where the caller's
 * own account at the provider pays it.
 */
export function viewCostDetails({ isByok, byokCost, list }: Bill): JsonObject {
  return {
    upstream_inference_cost: isByok ? usdNumber(byokCost) : null,
    upstream_inference_prompt_cost: usdNumber(list.prompt),
    upstream_inference_completions_cost: usdNumber(list.completion),
    server_tool_cost: usdNumber(list.tools),
  };
}

/** Tier, speed and location in a reply's usage, as the provider names them. */
export interface ServedService {
  readonly serviceTier: Usage['serviceTier'] | undefined;
  readonly speed: Usage['speed'] | undefined;
  readonly inferenceGeo: Usage['inferenceGeo'] | undefined;
}

/**
 * The charged tier, speed and location (docs/use/messages.md#speed-and-tier); those that the provider reported while
 * nothing is charged yet. The fast service has two names: speed `fast` and tier `priority`.
 */
export function chargedService({ serviceTier, speed, inferenceGeo }: Usage, bill: Bill | undefined): ServedService {
  if (!bill?.rate) return { serviceTier, speed, inferenceGeo };
  const { tier, endpoint } = bill.rate;
  const isPlain = tier === 'standard';
  // A priced location that was not requested was not charged as such.
  const reportedGeo = inferenceGeo !== undefined && endpoint.geographies?.has(inferenceGeo) ? undefined : inferenceGeo;
  return {
    serviceTier: isPlain ? serviceTier && 'standard' : tier === 'fast' ? 'priority' : tier,
    speed: tier === 'fast' ? 'fast' : 'standard',
    inferenceGeo: endpoint.geography?.word ?? reportedGeo,
  };
}

/** The tokens of a reply as OpenAI's formats count them: the input includes what was cached and written. */
export interface TokenView {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  /** Uses of tools; undefined: none. */
  readonly toolUses: JsonObject | undefined;
}

export function tokensOf(usage: Usage): TokenView {
  const cached = usage.cacheReadTokens ?? 0;
  const written = (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
  const { webSearchRequests = 0, webFetchRequests = 0 } = usage;
  const webRequests = webSearchRequests + webFetchRequests;
  const { requested, executed } = usage.toolCalls ?? { requested: webRequests, executed: webRequests };
  const hasUses = requested > 0 || webSearchRequests > 0;
  return {
    input: (usage.inputTokens ?? 0) + cached + written,
    cached,
    written,
    output: usage.outputTokens ?? 0,
    toolUses: hasUses
      ? { tool_calls_requested: requested, tool_calls_executed: executed, web_search_requests: webSearchRequests }
      : undefined,
  };
}

/**
 * The charged tier, where it was reported or requested: the base tier is `default` here, whatever its vendor calls it
 * (docs/use/chat.md#reply).
 */
export function viewServiceTier(usage: Usage, { bill }: Billing): JsonObject {
  const { serviceTier } = chargedService(usage, bill);
  return serviceTier === undefined ? {} : { service_tier: serviceTier === 'standard' ? 'default' : serviceTier };
}
