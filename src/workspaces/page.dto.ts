import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { pageLimit, pageOffset } from '../shared/http/page-fields.js';

// Bounded, so that it stays an exact integer for the store too.

const LIMIT_DEFAULT = 50;

/** A part of a list. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Query of lists (WIRE 2.8). Parameters beyond these are ignored. */
export class PageDto {
  @MayOmit()
  @Fits(pageOffset)
  offset?: string;

  @MayOmit()
  @Fits(pageLimit)
  limit?: string;
}

/** The page that a valid query asks for. */
export const readPage = (query: PageDto): Page => ({
  offset: Number(query.offset ?? 0),
  limit: Number(query.limit ?? LIMIT_DEFAULT),
});
