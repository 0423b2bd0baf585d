import type { CatalogSnapshot, Endpoint, Model } from '../core/routing/catalog.js';
import type { PicoUsd } from '../core/money/credits.js';

/** What a credential is tried out on. */
export interface TestEndpoint {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** Tokens that a test is reckoned to take; the answer's are bounded by as many. */
export const TEST_TOKENS_MAX = 16;

/**
 * Where a credential is tried out at the least cost: the provider's cheapest endpoint for text, of the models it is
 * meant for.
 * @param allowedModels ids of models; `null` is all
 * @returns null when the catalog has none
 */
export function findTestEndpoint(
  { models }: CatalogSnapshot,
  provider: string,
  allowedModels: readonly string[] | null,
): TestEndpoint | null {
  let cheapest: TestEndpoint | null = null;
  for (const model of models.values()) {
    if (!model.inputModalities.includes('text') || !model.outputModalities.includes('text')) continue;
    if (allowedModels !== null && !allowedModels.includes(model.id)) continue;
    for (const endpoint of model.endpoints) {
      if (endpoint.provider.slug !== provider) continue;
      if (!cheapest || priceOf(endpoint) < priceOf(cheapest.endpoint)) cheapest = { model, endpoint };
    }
  }
  return cheapest;
}

const priceOf = ({ pricing }: Endpoint): PicoUsd =>
  pricing ? (pricing.prompt + pricing.completion) * BigInt(TEST_TOKENS_MAX) + (pricing.request ?? 0n) : 0n;
