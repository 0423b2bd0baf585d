import { FAULT_KINDS } from '../core/errors.js';
import { FAULT_POLICIES } from '../core/fault-policies.js';
import { ENDINGS } from '../core/generation/ending.js';
import { isOneOf } from '../shared/database/is-one-of.js';
import { APPEARANCES } from '../shared/http/error-views.js';
import type { ReadGeneration } from './generation-columns.js';

/** The outcome of a stored generation. */
export type Outcome = Exclude<ReadGeneration['outcome'], 'running'>;

/** How the caller was answered. */
interface AnsweredAs {
  /** HTTP status of the reply; of a stream that failed, the one in its error. Null: unknown. */
  readonly status: number | null;
  /** As errors state it; null without an error. */
  readonly errorType: string | null;
}

/** A request that its provider rejected with 422 is answered so too. */
const UNPROCESSABLE = { outcome: 'provider-rejected-request', status: 422, kind: 'unprocessable' } as const;

const FAULTS = new Map<string, keyof typeof APPEARANCES>(
  FAULT_KINDS.map((kind) => [`provider-${kind}`, FAULT_POLICIES[kind].errorKind]),
);

/** By the outcome, in the order of `ENDINGS`. */
const ANSWERS: ReadonlyMap<Outcome, AnsweredAs> = new Map([
  ...Object.values(ENDINGS).map(({ name, status, result }): [Outcome, AnsweredAs] => {
    const kind = FAULTS.get(name) ?? (name === 'untranslatable' ? 'invalid-request' : name);
    if (result !== 'failed' || !(kind in APPEARANCES)) return [name, { status, errorType: null }];
    const { status: shown, errorType } = APPEARANCES[kind as keyof typeof APPEARANCES];
    return [name, { status: shown, errorType }];
  }),
  ['recovered', { status: null, errorType: null }],
]);

/** Every outcome that a record may have. */
export const OUTCOMES: readonly Outcome[] = [...ANSWERS.keys()];

/** Every `error_type` that a record may have. */
export const ERROR_TYPES: readonly string[] = [
  ...new Set([...ANSWERS.values()].flatMap(({ errorType }) => errorType ?? [])),
].toSorted();

/** How the caller of a generation was answered. An outcome of another release is unknown. */
export function answeredAs({ outcome, attempts }: Pick<ReadGeneration, 'outcome' | 'attempts'>): AnsweredAs {
  const isUnprocessable = outcome === UNPROCESSABLE.outcome && attempts.at(-1)?.['status'] === UNPROCESSABLE.status;
  return ANSWERS.get(isUnprocessable ? UNPROCESSABLE.kind : (outcome as Outcome)) ?? UNKNOWN;
}

const UNKNOWN: AnsweredAs = { status: null, errorType: null };

/** The same for a row of this alias: the outcome whose answer the caller received. */
export const answeredOutcome = (alias: string): string =>
  `CASE WHEN ${alias}.outcome = '${UNPROCESSABLE.outcome}' AND ${alias}.attempts -> -1 ->> 'status' = '${UNPROCESSABLE.status}'
     THEN '${UNPROCESSABLE.kind}' ELSE ${alias}.outcome END`;

/** The outcomes that are answered so; an absent part is any. */
export const outcomesAnswered = (status: number | undefined, errorType: string | undefined): readonly Outcome[] =>
  OUTCOMES.filter((outcome) => {
    const answer = ANSWERS.get(outcome)!;
    return (
      (status === undefined || answer.status === status) && (errorType === undefined || answer.errorType === errorType)
    );
  });

/** A `CASE` over an answered outcome, with a branch for each answer. */
function caseOf(outcome: string, answer: (of: AnsweredAs) => string | null): string {
  const outcomes = new Map<string, Outcome[]>();
  for (const [name, of] of ANSWERS) {
    const value = answer(of);
    if (value !== null) outcomes.set(value, [...(outcomes.get(value) ?? []), name]);
  }
  const branches = Array.from(outcomes, ([value, names]) => `WHEN ${isOneOf(outcome, names)} THEN ${value}`);
  return `CASE ${branches.join(' ')} END`;
}

/** The `error_type` of an `answeredOutcome`; null without an error. */
export const errorTypeOf = (outcome: string): string =>
  caseOf(outcome, ({ errorType }) => (errorType === null ? null : `'${errorType}'`));

/** The status of an `answeredOutcome`; null where it is unknown. */
export const statusOf = (outcome: string): string =>
  caseOf(outcome, ({ status }) => (status === null ? null : String(status)));
