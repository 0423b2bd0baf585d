import { GatewayError } from '../errors.js';
import type { CatalogSnapshot } from './catalog.js';
import { readModelName } from './model-name.js';
import { DOCS_URL, MODEL_SHOWN_CHARACTERS_MAX } from './no-route-error.js';
import { nearestModels, resolveModel } from './resolve-model.js';

/** Limit of listed models that an ambiguous name may mean. */
const CANDIDATES_SHOWN_MAX = 20;

/**
 * The error for a model that the catalog does not have, or a name that several models share
 * (docs/use/models.md#names-of-models): 404 with the ids to choose from.
 * @param name as requested, routing suffixes included
 */
export function noSuchModel(name: string, catalog: Pick<CatalogSnapshot, 'models'>): GatewayError {
  const shown = name.slice(0, MODEL_SHOWN_CHARACTERS_MAX);
  const { id } = readModelName(name);
  const resolved = resolveModel(catalog, id);
  const candidates = resolved && 'candidates' in resolved ? resolved.candidates.slice(0, CANDIDATES_SHOWN_MAX) : [];
  const suggested = candidates.length > 0 ? candidates : nearestModels(catalog, id);
  const reason =
    candidates.length > 0
      ? `is the name of several models: ${candidates.join(', ')}`
      : `is not in the catalog${suggested.length > 0 ? `; the nearest: ${suggested.join(', ')}` : ''}`;
  return new GatewayError('not-found', `model: ${JSON.stringify(shown)} ${reason}`, {
    ...(suggested.length > 0 && { metadata: { suggested_models: suggested } }),
    availability: { code: 'model_not_found', retryable: false, requested_models: [shown], docs_url: DOCS_URL },
  });
}
