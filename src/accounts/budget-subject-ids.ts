import { namedTag } from '../shared/http/tag-validators.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { compile, text, type Compiled } from '../shared/http/schema.js';
import { shortText } from '../shared/http/shared-fields.js';
import type { SubjectScope } from './budget-subjects.js';

/** Characters: the longest id that a request may have. */
const USER_MAX = 1_024;

/** Any id of a subject. */
export const subjectIdText = text({ min: 1, max: USER_MAX, ...STORABLE });

/** The ids that requests can have. */
export const SUBJECT_IDS: Readonly<Record<SubjectScope, Compiled<string>>> = {
  users: compile(subjectIdText),
  members: shortText,
  tags: compile(namedTag),
};
