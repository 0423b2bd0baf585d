import {
  DEFAULT_SUBJECT,
  SUBJECT_SCOPES,
  subjectOf,
  type BudgetSubject,
  type SubjectScope,
} from '../accounts/budget-subjects.js';
import { GatewayError } from '../core/errors.js';
import { INTERVALS, type Interval } from '../core/time.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { shortText } from '../shared/http/fields.js';
import { compile, text, type Compiled } from '../shared/http/schema.js';
import { namedTag } from '../shared/http/tag-fields.js';

/** Characters: the longest id that a request may have. */
const USER_MAX = 1_024;

const IDS: Readonly<Record<SubjectScope, Compiled<string>>> = {
  users: compile(text({ min: 1, max: USER_MAX, ...STORABLE })),
  members: shortText,
  tags: compile(namedTag),
};

/** @throws GatewayError `not-found` */
function readScope(given: string): SubjectScope {
  const scope = SUBJECT_SCOPES.find((known) => known === given);
  if (scope) return scope;
  throw new GatewayError('not-found', `There are budgets of ${SUBJECT_SCOPES.join(', ')} only.`);
}

/** @throws GatewayError `not-found` for an unknown scope; `invalid-request` for an id that its requests cannot have */
export function readSubject(accountId: string, given: string, id: string): BudgetSubject {
  const scope = readScope(given);
  const fault = id === DEFAULT_SUBJECT ? undefined : IDS[scope].fault(id);
  if (fault) throw new GatewayError('invalid-request', `id: ${fault.reason}`);
  return subjectOf(accountId, scope, id);
}

/** @throws GatewayError `invalid-request` */
export function readInterval(given: string): Interval {
  const interval = INTERVALS.find((known) => known === given);
  if (interval) return interval;
  throw new GatewayError('invalid-request', `interval: must be one of ${INTERVALS.join(', ')}`);
}
