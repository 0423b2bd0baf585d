import type { Endpoint, Model } from './catalog.js';
import type { RouteInputs } from './route-inputs.js';

/**
 * The endpoint in the requested geography, where it has a price there and its provider is sent the geography; else
 * undefined, and the provider chooses the place.
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
