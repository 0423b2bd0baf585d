import { literal, named, nullable, object, optional } from './schema.js';
import { name } from './bounds.js';

const place = optional(nullable(name()));

/**
 * Where searches are made from, roughly: for the vendors' web search tools, the gateway's own, and the web plugin
 * (docs/wire/messages.md#user-location).
 */
export const userLocation = nullable(
  named(
    'user-location',
    object({ type: literal('approximate'), city: place, country: place, region: place, timezone: place }),
  ),
);
