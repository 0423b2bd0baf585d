import { literal, named, object, oneOf, optional, type TProperties } from '../../shared/http/schema.js';

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

/** The fields of each of several kinds, with that one beside them. */
export const eachMarked = <Kinds extends Record<string, TProperties>>(kinds: Kinds) =>
  Object.fromEntries(Object.entries(kinds).map(([kind, fields]) => [kind, { ...fields, ...marked }])) as {
    readonly [Kind in keyof Kinds]: Kinds[Kind] & typeof marked;
  };
