import { printJson } from '../core/json/json.js';
import type { PicoUsd } from '../core/money/credits.js';
import type { CatalogSnapshot, Endpoint, Model } from '../core/routing/catalog.js';
import { tokenPrice } from '../core/routing/leg-price.js';
import { supportedParameters, viewModel } from './view-model.js';

/**
 * A model of the catalog with everything that lists show and filter by. Immutable: made once, shared by all requests.
 */
export interface ModelEntry {
  readonly model: Model;
  /** The shown endpoints, at least one. */
  readonly endpoints: readonly Endpoint[];
  /** Price at the endpoint that represents the model: 10⁻¹² USD per token. */
  readonly promptPrice: PicoUsd;
  readonly completionPrice: PicoUsd;
  readonly parameters: ReadonlySet<string>;
  /** The text that `q` is searched in, in lower case. */
  readonly words: string;
  /** JSON of the model without its last brace and without the fields that depend on the caller. */
  readonly head: string;
}

/** Whether the operator or the caller has a credential for one of the endpoints of a model. */
export type IsCallable = (entry: ModelEntry) => boolean;

/** The whole view. */
export const printEntry = (entry: ModelEntry, isCallable: IsCallable): string =>
  `${entry.head},"callable":${isCallable(entry)}}`;

/** @param endpoints of the model, at least one */
export function createEntry(model: Model, endpoints: readonly Endpoint[]): ModelEntry {
  const top = topEndpoint(endpoints);
  return {
    model,
    endpoints,
    promptPrice: priceOf(top, 'prompt'),
    completionPrice: priceOf(top, 'completion'),
    parameters: new Set(supportedParameters(endpoints)),
    words: `${model.id}\n${model.name}`.toLowerCase(),
    head: printJson(viewModel(model, top, endpoints)).slice(0, -1),
  };
}

/** Models in the order of the catalog. */
export const listEntries = ({ models }: CatalogSnapshot): readonly ModelEntry[] =>
  [...models.values()].map((model) => createEntry(model, model.endpoints));

/** The one with the lowest prompt + completion price, which the draw prefers; of equal ones the first. */
function topEndpoint(endpoints: readonly Endpoint[]): Endpoint {
  const sumOf = (endpoint: Endpoint): PicoUsd => priceOf(endpoint, 'prompt') + priceOf(endpoint, 'completion');
  return endpoints.reduce((best, endpoint) => (sumOf(endpoint) < sumOf(best) ? endpoint : best));
}

const priceOf = ({ pricing }: Endpoint, kind: 'prompt' | 'completion'): PicoUsd =>
  pricing ? tokenPrice(pricing, kind, 'standard', 0) : 0n;
