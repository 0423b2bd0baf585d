import type { Endpoint, Model } from './catalog.js';
import type { RouteInputs } from './route-inputs.js';

/**
 * The endpoint in the requested geography, where it has a price there and its provider is sent the geography; else
 * undefined, and the provider chooses the region.
 */
export function regionalEndpoint(
  endpoint: Endpoint,
  model: Model,
  geography: string,
  carries: RouteInputs['supportsField'],
): Endpoint | undefined {
  const regional = endpoint.geographies?.get(geography);
  if (!regional || !carries) return regional;
  return carries({ model, endpoint: regional, tier: 'standard', tag: regional.tag }, 'inference_geo')
    ? regional
    : undefined;
}
