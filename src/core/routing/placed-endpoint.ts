import type { Endpoint, Model } from './catalog.js';
import type { RouteInputs } from './route-inputs.js';

/**
 * The endpoint in the place that is asked for, where it has a price there and its provider is told of it; undefined
 * where it runs wherever it does.
 */
export function placedEndpoint(
  endpoint: Endpoint,
  model: Model,
  geography: string,
  carries: RouteInputs['carries'],
): Endpoint | undefined {
  const placed = endpoint.geographies?.get(geography);
  if (!placed || !carries) return placed;
  return carries({ model, endpoint: placed, tier: 'standard', tag: placed.tag }, 'inference_geo') ? placed : undefined;
}
