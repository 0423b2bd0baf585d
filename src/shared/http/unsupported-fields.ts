import { Type } from '@sinclair/typebox';
import { closed, compile, list, nullable, optional, unknown, unsupported } from './schema.js';

/*
 * Fields that are known and whose effect this gateway lacks, by the values of them that ask for nothing. A restriction
 * that could not be kept is not taken.
 */

const nothing = Type.Null();
const noEntries = nullable(list(unknown(), { max: 0 }));

/** A list: nothing, or no entries. */
export const noList = compile(unsupported(noEntries));

/**
 * A list that allows only what is in it: without entries it would allow nothing, so nothing but null asks for nothing.
 */
export const noAllowList = compile(unsupported(nothing));

/** How much a key may ask in a minute. */
export const noRateLimits = compile(
  unsupported(nullable(closed({ requests_per_minute: optional(nothing), tokens_per_minute: optional(nothing) }))),
);
