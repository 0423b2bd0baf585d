import type { UsageIteration } from '../conversation/usage.js';
import type { Endpoint, Model } from '../routing/catalog.js';

/** A model that the provider may consult while it makes its reply. */
export interface MeasuredAdvisor {
  /** The model in the catalog, with its allow-lists and price. */
  readonly model: Model;
  /** Maximum number of calls of the advisor. */
  readonly uses: number;
  /** The most output tokens of one call, where the caller limits it. */
  readonly maxOutputTokens?: number;
}

/**
 * The endpoint of this model at the provider of the given endpoint, where a consulted model is called and charged. The
 * same variant is preferred. Undefined where that provider does not serve it.
 */
export function endpointBeside({ endpoints }: Model, { provider, variant }: Endpoint): Endpoint | undefined {
  const beside = endpoints.filter((endpoint) => endpoint.provider.slug === provider.slug);
  return beside.find((endpoint) => endpoint.variant === variant) ?? beside[0];
}

/**
 * The endpoint whose price a call of an advisor has: that of the advisor with the reported name, else of the first
 * requested one, because vendors may report a dated name. Undefined where none was requested: then the caller agreed to
 * no price.
 */
export function advisorOf(
  { model }: UsageIteration,
  advisors: readonly MeasuredAdvisor[],
  endpoint: Endpoint,
): Endpoint | undefined {
  let first: Endpoint | undefined;
  for (const advisor of advisors) {
    const beside = endpointBeside(advisor.model, endpoint);
    if (beside?.upstreamModel === model) return beside;
    first ??= beside;
  }
  return first;
}
