import { FAULT_KINDS } from '../../core/errors.js';
import { FAULT_POLICIES } from '../../core/fault-policies.js';
import { ENDINGS } from '../../core/generation/ending.js';
import { isOneOf } from '../../shared/database/is-one-of.js';
import { APPEARANCES } from '../../shared/http/error-views.js';
import type { ReadGeneration } from './generation-columns.js';

/** The outcome of a stored generation. */
export type Outcome = Exclude<ReadGeneration['outcome'], 'running'>;

/** The reply that the caller received. */
interface AnsweredAs {
  /** HTTP status of the reply; of a stream that failed, the one in its error. Null: unknown. */
  readonly status: number | null;
  /** `error_type` of the reply; null without an error. */
  readonly errorType: string | null;
}

/** A request that its provider rejected with 422 is answered so too. */
const UNPROCESSABLE = { outcome: 'provider-rejected-request', status: 422, kind: 'unprocessable' } as const;

const FAULTS = new Map<string, keyof typeof APPEARANCES>(
  FAULT_KINDS.map((kind) => [`provider-${kind}`, FAULT_POLICIES[kind].errorKind]),
);

/** Replies by outcome, in the order of `ENDINGS`. */
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

/** The reply that the caller of a generation received. An outcome of another release is unknown. */
export function answeredAs({ outcome, attempts }: Pick<ReadGeneration, 'outcome' | 'attempts'>): AnsweredAs {
  const isUnprocessable = outcome === UNPROCESSABLE.outcome && attempts.at(-1)?.['status'] === UNPROCESSABLE.status;
  return ANSWERS.get(isUnprocessable ? UNPROCESSABLE.kind : (outcome as Outcome)) ?? UNKNOWN;
}

const COMPLETED = 'completed' satisfies Outcome;
const UNKNOWN: AnsweredAs = { status: null, errorType: null };

/** SQL for the row with this alias: the outcome whose answer the caller received. */
export const answeredOutcome = (alias: string): string =>
  `CASE WHEN ${alias}.outcome = '${UNPROCESSABLE.outcome}' AND ${alias}.attempts -> -1 ->> 'status' = '${UNPROCESSABLE.status}'
     THEN '${UNPROCESSABLE.kind}' ELSE ${alias}.outcome END`;

/** The outcomes that are answered with this status and error type; an absent one matches any. */
export const outcomesAnswered = (status: number | undefined, errorType: string | undefined): readonly Outcome[] =>
  OUTCOMES.filter((outcome) => {
    const answer = ANSWERS.get(outcome)!;
    return (
      (status === undefined || answer.status === status) && (errorType === undefined || answer.errorType === errorType)
    );
  });

/** The outcomes that rows with one of these answers may have; `isExact`: all rows with them have such an answer. */
export function recordedOutcomes(answered: readonly Outcome[]): {
  readonly recorded: readonly Outcome[];
  readonly isExact: boolean;
} {
  const { outcome, kind } = UNPROCESSABLE;
  return {
    recorded: answered.includes(kind) ? [...new Set([...answered, outcome])] : answered,
    isExact: answered.includes(kind) === answered.includes(outcome),
  };
}

/** A `CASE` over an answered outcome, with a branch for each answer. */
function caseOf(outcome: string, answer: (of: AnsweredAs) => string | null): string {
  const outcomes = new Map<string, Outcome[]>();
  for (const [name, of] of ANSWERS) {
    const value = answer(of);
    if (value !== null) outcomes.set(value, [...(outcomes.get(value) ?? []), name]);
  }
  const branches = Array.from(outcomes, ([value, names]) => `WHEN ${isOneOf(outcome, names)} THEN ${value}`);
  // First the outcome of nearly all rows: the other branches compare with forty texts.
  const first = `WHEN ${outcome} = '${COMPLETED}' THEN ${answer(ANSWERS.get(COMPLETED)!) ?? 'NULL'}`;
  return `CASE ${[first, ...branches].join(' ')} END`;
}

/** The `error_type` of an `answeredOutcome`; null without an error. */
export const errorTypeOf = (outcome: string): string =>
  caseOf(outcome, ({ errorType }) => (errorType === null ? null : `'${errorType}'`));

/** The status of an `answeredOutcome`; null where it is unknown. */
export const statusOf = (outcome: string): string =>
  caseOf(outcome, ({ status }) => (status === null ? null : String(status)));
