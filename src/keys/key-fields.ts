import { nameText, names } from '../shared/http/fields.js';
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
/** Of requests, and of tokens, in a minute. Chosen: past what a gateway of many replicas can do. */
const RATE_MAX = 1_000_000_000;
/** Ids and patterns, each compared with every model of a request. Chosen, as for a credential. */
const ALLOWED_MODELS_MAX = 100;
/** Seconds: a week. */
const GRACE_MAX_SECONDS = 604_800;

/** What the key is for. */
export const kindOfKey = compile(oneOf(['inference', 'management']));

/**
 * Who uses the key in the caller's own system. Chosen: `api_key` is judged and not kept, for keys are never chosen
 * by callers.
 */
export const external = compile(closed({ user: nameText, api_key: optional(text({ max: API_KEY_MAX })) }));

const rate = nullable(integer({ min: 1, max: RATE_MAX }));

/** How much a key may ask in a minute; null, or left out, is as much as it likes. */
export const rateLimits = compile(
  closed({
    requests_per_minute: optional(rate),
    tokens_per_minute: optional(described('Of prompts and answers together.', rate)),
  }),
);

/** Ids of models, or patterns. None at all would be a key that is of no use. */
export const allowedModels = names({ min: 1, max: ALLOWED_MODELS_MAX });

/** For how long the secrets before the new one go on. */
export const graceSeconds = compile(integer({ min: 0, max: GRACE_MAX_SECONDS }));

/** What is settled when a key is made. */
export const fixed = compile(refused('cannot be changed; create another key instead'));
