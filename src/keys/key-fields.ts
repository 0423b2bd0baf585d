import { nameText } from '../shared/http/fields.js';
import { closed, compile, oneOf, optional, refused, text } from '../shared/http/schema.js';

const API_KEY_MAX = 255;

/** What the key is for. */
export const kindOfKey = compile(oneOf(['inference', 'management']));

/**
 * Who uses the key in the caller's own system. Chosen: `api_key` is judged and not kept, for keys are never chosen
 * by callers.
 */
export const external = compile(closed({ user: nameText, api_key: optional(text({ max: API_KEY_MAX })) }));

/** What is settled when a key is made. */
export const fixed = compile(refused('cannot be changed; create another key instead'));
