import { nameText, names } from '../shared/http/shared-fields.js';
import { tagPairs } from '../shared/http/tag-validators.js';
import {
  closed,
  compile,
  described,
  integer,
  nullable,
  oneOf,
  optional,
  refused,
  text,
} from '../shared/http/schema.js';

const API_KEY_MAX = 255;
/** Requests, or tokens, in a minute. Chosen: beyond the capacity of many replicas. */
const RATE_MAX = 1_000_000_000;
/** Ids and patterns, each compared with every model of a request. Chosen, as for a credential. */
const ALLOWED_MODELS_MAX = 100;
/** Seconds: a week. */
const GRACE_MAX_SECONDS = 604_800;

/** The use of the key. */
export const kindOfKey = compile(oneOf(['inference', 'management']));

/**
 * The user of the key in the caller's own system. Chosen: `api_key` is validated and not stored, because callers never
 * choose keys.
 */
export const external = compile(closed({ user: nameText, api_key: optional(text({ max: API_KEY_MAX })) }));

const rate = nullable(integer({ min: 1, max: RATE_MAX }));

/** Requests and tokens of a key in a minute; null or absent: unlimited. */
export const rateLimits = compile(
  closed({
    requests_per_minute: optional(rate),
    tokens_per_minute: optional(described('Of prompts and answers together.', rate)),
  }),
);

/** Ids of models, or patterns. An empty list is refused: it would make the key useless. */
export const allowedModels = names({ min: 1, max: ALLOWED_MODELS_MAX });

/** Metadata that the key adds to its requests. */
export const keyMetadata = compile(closed({ tags: optional(nullable(tagPairs)) }));

/** Seconds for which the former secrets stay valid. */
export const graceSeconds = compile(integer({ min: 0, max: GRACE_MAX_SECONDS }));

/** A field that cannot change after the key is made. */
export const fixed = compile(refused('cannot be changed; create another key instead'));
