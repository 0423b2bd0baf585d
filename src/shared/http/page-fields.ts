import { compile, text } from './schema.js';

// Queries of lists; numbers come as texts.

/** How many entries are passed over. */
export const pageOffset = compile(text({ pattern: '^[0-9]{1,9}$', reason: 'must be an integer from 0 to 999999999' }));
/** How many are shown at the most. */
export const pageLimit = compile(text({ pattern: '^([1-9][0-9]?|100)$', reason: 'must be an integer from 1 to 100' }));
