import { literal, named, object, oneOf, optional } from '../../shared/http/schema.js';

/**
 * Marks the end of a prefix to cache: at the top level, on blocks and on tools alike
 * (docs/wire/messages.md#cache-markers).
 */
export const cacheControl = named(
  'cache-control',
  object({ type: literal('ephemeral'), ttl: optional(oneOf(['5m', '1h'])) }),
);

/**
 * The field of everything that can bear a marker. Absent is fine, null is not (docs/wire/messages.md#cache-markers).
 */
export const marked = { cache_control: optional(cacheControl) };
