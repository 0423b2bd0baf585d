import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { pageLimit, pageOffset } from '../shared/http/page-fields.js';
import { workspaceId } from './guardrail-fields.js';

// Bounded, so that it stays an exact integer for the store too.

const LIMIT_DEFAULT = 50;

/** A part of a list. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Query of the lists of assignments. Parameters beyond these are ignored (WIRE 0.3). */
export class ListAssignmentsDto {
  @MayOmit()
  @Fits(pageOffset)
  offset?: string;

  @MayOmit()
  @Fits(pageLimit)
  limit?: string;
}

/** Query of `GET /guardrails`. */
export class ListGuardrailsDto extends ListAssignmentsDto {
  @MayOmit()
  @Fits(workspaceId)
  workspace_id?: string;
}

/** The page that a valid query asks for. */
export const readPage = (query: ListAssignmentsDto): Page => ({
  offset: Number(query.offset ?? 0),
  limit: Number(query.limit ?? LIMIT_DEFAULT),
});
