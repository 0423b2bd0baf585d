import {
  anything,
  literal,
  named,
  nullable,
  object,
  oneOf,
  optional,
  type TProperties,
} from '../../../shared/http/schema.js';

/**
 * Marks the end of a prefix to cache: at the top level, on blocks and on tools alike
 * (docs/use/messages.md#cache-markers).
 */
export const cacheControl = named(
  'cache-control',
  object({
    type: literal('ephemeral'),
    ttl: optional(oneOf(['5m', '1h'])),
    // Platforms take it or not (docs/use/translation.md#fields-of-betas).
    scope: optional(anything()),
  }),
);

/**
 * The field of everything that can bear a marker. Null is the same as absence (docs/use/messages.md#cache-markers).
 */
export const marked = { cache_control: optional(nullable(cacheControl)) };

/** Adds the field of a cache marker to each of several kinds. */
export const eachMarked = <Kinds extends Record<string, TProperties>>(kinds: Kinds) =>
  Object.fromEntries(Object.entries(kinds).map(([kind, fields]) => [kind, { ...fields, ...marked }])) as {
    readonly [Kind in keyof Kinds]: Kinds[Kind] & typeof marked;
  };
