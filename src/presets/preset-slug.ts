import { SLUG } from '../shared/http/field-patterns.js';
import { compile, text } from '../shared/http/schema.js';

/** Characters of a slug. Chosen. */
const SLUG_MAX = 100;

/** The slug of a preset. Any other text names none. */
export const presetSlug = compile(text({ min: 1, max: SLUG_MAX, ...SLUG }));
