import { SUBJECT_IDS, subjectIdText } from '../accounts/budget-subject-ids.js';
import {
  DEFAULT_SUBJECT,
  SUBJECT_SCOPES,
  subjectOf,
  type BudgetSubject,
  type SubjectScope,
} from '../accounts/budget-subjects.js';
import { GatewayError } from '../core/errors.js';
import { INTERVALS, type Interval } from '../core/time.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, described } from '../shared/http/schema.js';

/** The id in a path whose real id is in the query. */
const IN_QUERY = '-';

const idInQuery = compile(described(`The id, where the path has \`${IN_QUERY}\`.`, subjectIdText));

/** @throws GatewayError `not-found` */
function readScope(name: string): SubjectScope {
  const scope = SUBJECT_SCOPES.find((known) => known === name);
  if (scope) return scope;
  throw new GatewayError('not-found', `There are budgets of ${SUBJECT_SCOPES.join(', ')} only.`);
}

/** Query of a budget: the id, which as a part of a path no browser sends where it is `.` or `..`. */
export class SubjectIdDto {
  @MayOmit()
  @Fits(idInQuery)
  id?: string;
}

/**
 * @param pathId the id in the path
 * @throws GatewayError `not-found` for an unknown scope; `invalid-request` for an id that its requests cannot have
 */
export function readSubject(accountId: string, scopeName: string, pathId: string, query: SubjectIdDto): BudgetSubject {
  const scope = readScope(scopeName);
  if (query.id !== undefined && pathId !== IN_QUERY)
    throw new GatewayError('invalid-request', `id: is in the query only beside “${IN_QUERY}” in the path`);
  const id = query.id ?? pathId;
  const fault = id === DEFAULT_SUBJECT ? undefined : SUBJECT_IDS[scope].fault(id);
  if (fault) throw new GatewayError('invalid-request', `id: ${fault.reason}`);
  return subjectOf(accountId, scope, id);
}

/** @throws GatewayError `invalid-request` */
export function readInterval(name: string): Interval {
  const interval = INTERVALS.find((known) => known === name);
  if (interval) return interval;
  throw new GatewayError('invalid-request', `interval: must be one of ${INTERVALS.join(', ')}`);
}
