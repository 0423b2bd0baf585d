import type { CatalogSnapshot, Endpoint, Model } from '../core/routing/catalog.js';
import type { PicoUsd } from '../core/money/credits.js';
import { SMALLEST_ANSWER_TOKENS } from '../providers/smallest-request.js';

/** What a credential is tried out on. */
export interface TestEndpoint {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/**
 * Where a credential is tried out at the least cost: the provider's cheapest endpoint for text, of the models it is
 * meant for.
 * @param allowedModels ids of models; `null` is all
 * @param leadsTo whether the credential is for such an endpoint at all
 * @returns null when the catalog has none
 */
export function findTestEndpoint(
  { models }: CatalogSnapshot,
  provider: string,
  allowedModels: readonly string[] | null,
  leadsTo: (place: TestEndpoint) => boolean = () => true,
): TestEndpoint | null {
  let cheapest: TestEndpoint | null = null;
  for (const model of models.values()) {
    if (!model.inputModalities.includes('text') || !model.outputModalities.includes('text')) continue;
    if (allowedModels !== null && !allowedModels.includes(model.id)) continue;
    for (const endpoint of model.endpoints) {
      if (endpoint.provider.slug !== provider) continue;
      if (cheapest && priceOf(endpoint) >= priceOf(cheapest.endpoint)) continue;
      const place = { model, endpoint };
      if (leadsTo(place)) cheapest = place;
    }
  }
  return cheapest;
}

/** Of as many tokens of the prompt, about, as the answer may have. */
const priceOf = ({ pricing }: Endpoint): PicoUsd =>
  pricing ? (pricing.prompt + pricing.completion) * BigInt(SMALLEST_ANSWER_TOKENS) + (pricing.request ?? 0n) : 0n;
