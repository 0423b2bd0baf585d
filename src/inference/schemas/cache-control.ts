import { literal, named, object, oneOf, optional } from '../../shared/http/schema.js';

/** Marks the end of a prefix to cache: at the top level, on blocks and on tools alike (WIRE 1.1). */
export const cacheControl = named(
  'cache-control',
  object({ type: literal('ephemeral'), ttl: optional(oneOf(['5m', '1h'])) }),
);

/** The field of everything that can bear a marker. Absent is fine, null is not (Scope 2.1, 2.2). */
export const marked = { cache_control: optional(cacheControl) };
