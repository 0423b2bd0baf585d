import { compile, list, nullable, unknown, unsupported } from '../shared/http/schema.js';

/*
 * Fields that are known but have no effect in this gateway; only their neutral values are accepted. A restriction that
 * could not be kept is refused.
 */

const noEntries = nullable(list(unknown(), { max: 0 }));

/** An empty or absent list. */
export const noList = compile(unsupported(noEntries));
