import type { CatalogSnapshot, Endpoint, Model } from '../core/routing/catalog.js';
import { allowedIds } from '../core/routing/resolve-model.js';
import type { PicoUsd } from '../core/money/credits.js';
import { SMALLEST_ANSWER_TOKENS } from '../providers/smallest-request.js';

/** The endpoint of a credential test. */
export interface TestEndpoint {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/**
 * The cheapest endpoint for a credential test: the provider's cheapest one for text, among the models that the
 * credential is for.
 * @param allowedModels names of models and patterns; `null` is all
 * @param mayUseCredential whether the credential is for such an endpoint at all
 * @returns null when the catalog has none
 */
export function findTestEndpoint(
  catalog: CatalogSnapshot,
  provider: string,
  allowedModels: readonly string[] | null,
  mayUseCredential: (tested: TestEndpoint) => boolean = () => true,
): TestEndpoint | null {
  const allowed = allowedModels && allowedIds(allowedModels, catalog);
  let cheapest: TestEndpoint | null = null;
  for (const model of catalog.models.values()) {
    if (!model.inputModalities.includes('text') || !model.outputModalities.includes('text')) continue;
    if (allowed?.includes(model.id) === false) continue;
    for (const endpoint of model.endpoints) {
      if (endpoint.provider.slug !== provider) continue;
      if (cheapest && priceOf(endpoint) >= priceOf(cheapest.endpoint)) continue;
      const tested = { model, endpoint };
      if (mayUseCredential(tested)) cheapest = tested;
    }
  }
  return cheapest;
}

/** Assumes about as many prompt tokens as the answer may have. */
const priceOf = ({ pricing }: Endpoint): PicoUsd =>
  pricing ? (pricing.prompt + pricing.completion) * BigInt(SMALLEST_ANSWER_TOKENS) + (pricing.request ?? 0n) : 0n;
