import { literal, named, nullable, object, optional, text } from '../../shared/http/schema.js';

const place = optional(nullable(text()));

/** Where searches are made from, roughly: for the vendors' web search tools, the gateway's own, and the web plugin (WIRE 1.6, 1.9). */
export const userLocation = nullable(
  named(
    'user-location',
    object({ type: literal('approximate'), city: place, country: place, region: place, timezone: place }),
  ),
);
