import { literal, named, nullable, object, optional, text } from '../../shared/http/schema.js';

const place = optional(nullable(text()));

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
