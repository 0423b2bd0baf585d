import type { Usage } from '../core/conversation/usage.js';
import { usdNumber } from '../core/money/credits.js';
import { isJsonObject, type Json, type JsonObject } from '../core/json.js';
import { viewCostDetails, type Billing } from '../inference/view-cost.js';

/**
 * `usage` with every key of Scope 2.5 and WIRE 1.15, those that nobody told as null. Keys of the vendor's that have no neutral
 * counterpart stand beside them.
 */
export function viewUsage(usage: Usage, { bill, isByok }: Billing): JsonObject {
  const raw = usage.extras?.vendor === 'anthropic' ? usage.extras.value : {};
  const { cacheWriteTokens, cacheWrite1hTokens, reasoningTokens, webSearchRequests, webFetchRequests } = usage;
  const wroteCache = cacheWriteTokens !== undefined || cacheWrite1hTokens !== undefined;
  const ranTools = webSearchRequests !== undefined || webFetchRequests !== undefined;
  const view: { [key: string]: Json } = {
    input_tokens: usage.inputTokens ?? 0,
    output_tokens: usage.outputTokens ?? 0,
    cache_creation: wroteCache
      ? { ephemeral_5m_input_tokens: cacheWriteTokens ?? 0, ephemeral_1h_input_tokens: cacheWrite1hTokens ?? 0 }
      : null,
    cache_creation_input_tokens: wroteCache ? (cacheWriteTokens ?? 0) + (cacheWrite1hTokens ?? 0) : null,
    cache_read_input_tokens: usage.cacheReadTokens ?? null,
    inference_geo: typeof raw['inference_geo'] === 'string' ? raw['inference_geo'] : null,
    server_tool_use: ranTools
      ? {
          ...objectAt(raw, 'server_tool_use'),
          web_search_requests: webSearchRequests ?? 0,
          web_fetch_requests: webFetchRequests ?? 0,
        }
      : null,
    // WIRE 1.15: the base tier is `standard` here, whatever its vendor calls it.
    service_tier: usage.serviceTier === 'default' ? 'standard' : (usage.serviceTier ?? null),
    output_tokens_details:
      reasoningTokens === undefined
        ? null
        : { ...objectAt(raw, 'output_tokens_details'), thinking_tokens: reasoningTokens },
    cost: bill ? usdNumber(bill.cost) : null,
    cost_details: bill ? viewCostDetails(bill) : null,
    is_byok: isByok,
    iterations: Array.isArray(raw['iterations']) ? raw['iterations'] : bill ? [viewIteration(usage)] : [],
    // Scope 2.1: `standard` is what is served where nothing else was asked for.
    speed: usage.speed ?? 'standard',
  };
  for (const key of Object.keys(raw)) if (!(key in view) && raw[key] !== undefined) view[key] = raw[key];
  return view;
}

/** The one model call behind a reply, where its vendor does not list its own. */
function viewIteration(usage: Usage): JsonObject {
  const { cacheWriteTokens, cacheWrite1hTokens } = usage;
  return {
    type: 'message',
    input_tokens: usage.inputTokens ?? 0,
    output_tokens: usage.outputTokens ?? 0,
    cache_creation_input_tokens: (cacheWriteTokens ?? 0) + (cacheWrite1hTokens ?? 0),
    cache_read_input_tokens: usage.cacheReadTokens ?? 0,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteTokens ?? 0,
      ephemeral_1h_input_tokens: cacheWrite1hTokens ?? 0,
    },
  };
}

function objectAt(value: JsonObject, key: string): JsonObject | undefined {
  const member = value[key];
  return isJsonObject(member) ? member : undefined;
}
