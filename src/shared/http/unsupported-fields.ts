import { compile, list, nullable, unknown, unsupported } from './schema.js';

/*
 * Fields that are known and whose effect this gateway lacks, by the values of them that ask for nothing. A restriction
 * that could not be kept is not taken.
 */

const noEntries = nullable(list(unknown(), { max: 0 }));

/** A list: nothing, or no entries. */
export const noList = compile(unsupported(noEntries));
