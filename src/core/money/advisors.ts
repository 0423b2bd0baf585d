import type { UsageIteration } from '../conversation/usage.js';
import type { Endpoint, Model } from '../routing/catalog.js';

/** A model that the provider may consult on the way to its reply. */
export interface MeasuredAdvisor {
  /** Of the catalog: its allow-lists, its price. */
  readonly model: Model;
  /** Most calls of it. */
  readonly uses: number;
  /** Most tokens of output of one call, where the caller limits it. */
  readonly maxOutputTokens?: number;
}

/**
 * Where this model is served by whoever serves the given endpoint: what is consulted there is asked and charged there.
 * The same variant before another. Undefined where that provider does not serve it.
 */
export function endpointBeside({ endpoints }: Model, { provider, variant }: Endpoint): Endpoint | undefined {
  const beside = endpoints.filter((endpoint) => endpoint.provider.slug === provider.slug);
  return beside.find((endpoint) => endpoint.variant === variant) ?? beside[0];
}

/**
 * What a call of an advisor is priced by: the advisor of the name that was reported, else the first that was asked for,
 * since vendors may report a dated name. Undefined where none was asked for: then nobody agreed to a price.
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
