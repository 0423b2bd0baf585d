import { Type } from '@sinclair/typebox';
import type { Candidate } from '../core/routing/candidate.js';
import { supports } from '../core/routing/rules.js';
import type { EndpointHealth } from '../core/routing/health.js';
import type { Uptime } from '../endpoint-health/endpoint-record.js';
import {
  flag,
  integer,
  nullable,
  object,
  optional,
  rows,
  text,
  titled,
  described,
  type Static,
} from '../shared/http/schema.js';
import { latencyView, throughputView, uptimeView, viewLatency, viewThroughput, viewUptime } from './view-figures.js';
import { outputTokensMax } from './view-model.js';
import { pricingView, viewPricing } from './view-pricing.js';

const toolChoice = object({ auto: flag(), function: flag(), none: flag(), required: flag() });

/** One endpoint, in one tier, as `/models/…/endpoints` shows it (docs/use/models.md#an-endpoint). */
export const endpointView = titled(
  'endpoint',
  object({
    name: text(),
    model_id: text(),
    model_name: text(),
    context_length: integer(),
    pricing: pricingView,
    provider_name: text(),
    tag: text(),
    quantization: text(),
    max_completion_tokens: nullable(integer()),
    max_prompt_tokens: Type.Null(),
    supported_parameters: rows(text()),
    supports_tool_choice: toolChoice,
    supports_implicit_caching: flag(),
    status: optional(described('`0` for a healthy endpoint; absent otherwise.', integer())),
    uptime_last_5m: uptimeView,
    uptime_last_30m: uptimeView,
    uptime_last_1d: uptimeView,
    latency_last_30m: latencyView,
    throughput_last_30m: throughputView,
  }),
);
export type EndpointView = Static<typeof endpointView>;

/**
 * @param health what this gateway has observed of it with the operator's credential; undefined: nothing
 * @param uptime the results of this process's calls, with the same
 */
export function viewEndpoint(
  candidate: Candidate,
  health: EndpointHealth | undefined,
  uptime: Uptime | undefined,
): EndpointView {
  const { model, endpoint, provider, tier, tag } = candidate;
  const isHealthy = !health?.isOut && !health?.cooling;
  return {
    name: `${provider.name} | ${model.id}`,
    model_id: model.id,
    model_name: model.name,
    context_length: endpoint.contextLength,
    pricing: viewPricing(endpoint.pricing, tier),
    provider_name: provider.name,
    tag,
    quantization: endpoint.quantization,
    max_completion_tokens: outputTokensMax(endpoint, model),
    max_prompt_tokens: null,
    supported_parameters: endpoint.supportedParameters,
    supports_tool_choice: viewToolChoice(candidate),
    // The catalog does not contain which providers cache by default: nothing is promised.
    supports_implicit_caching: false,
    // The meaning of the other numbers is not public, so an unhealthy endpoint shows none.
    ...(isHealthy && { status: 0 }),
    uptime_last_5m: viewUptime(uptime?.last5m),
    uptime_last_30m: viewUptime(uptime?.last30m),
    uptime_last_1d: viewUptime(uptime?.last1d),
    latency_last_30m: viewLatency(health?.latency),
    throughput_last_30m: viewThroughput(health?.throughput),
  };
}

/**
 * The catalog names `tool_choice` as a whole; an endpoint that names nothing counts as supporting all, as in routing.
 */
function viewToolChoice({ endpoint }: Candidate): Static<typeof toolChoice> {
  const chooses = supports(endpoint, 'tools') && supports(endpoint, 'tool_choice');
  return { auto: chooses, function: chooses, none: chooses, required: chooses };
}
