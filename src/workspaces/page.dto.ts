import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, text } from '../shared/http/schema.js';

// Bounded, so that it stays an exact integer for the store too.
const offset = compile(text({ pattern: '^[0-9]{1,9}$', reason: 'must be an integer from 0 to 999999999' }));
const limit = compile(text({ pattern: '^([1-9][0-9]?|100)$', reason: 'must be an integer from 1 to 100' }));

const LIMIT_DEFAULT = 50;

/** A part of a list. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Query of lists (WIRE 2.8). Parameters beyond these are ignored. */
export class PageDto {
  @MayOmit()
  @Fits(offset)
  offset?: string;

  @MayOmit()
  @Fits(limit)
  limit?: string;
}

/** The page that a valid query asks for. */
export const readPage = (query: PageDto): Page => ({
  offset: Number(query.offset ?? 0),
  limit: Number(query.limit ?? LIMIT_DEFAULT),
});
