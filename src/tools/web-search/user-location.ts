import { literal, named, nullable, object, optional } from '../../shared/http/schema.js';
import { name } from '../../shared/http/maxima.js';

const locationPart = optional(nullable(name()));

/**
 * The approximate location of searches: for the vendors' web search tools, the gateway's own, and the web plugin
 * (docs/use/messages.md#user-location).
 */
export const userLocation = nullable(
  named(
    'user-location',
    object({
      type: literal('approximate'),
      city: locationPart,
      country: locationPart,
      region: locationPart,
      timezone: locationPart,
    }),
  ),
);
