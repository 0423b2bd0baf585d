import { CallerGone, GatewayError, ProviderFault, type ErrorKind, type FaultKind } from '../errors.js';

/** How a generation ended, and how each of its calls did. Closed: what follows from each stands in `ENDINGS`. */
export type Ending =
  | 'completed' // the reply came to its end
  | 'refused' // the model would not answer, and another one was asked
  | 'untranslatable' // the target cannot carry the request: it was not called
  | 'not-sent' // what the call needs could not be had: media of the caller's, say
  | 'unaffordable' // the hold could not be extended for it: it was not called
  | 'caller-gone'
  | 'deadline' // the request took longer than this gateway allows
  | 'shutdown' // this process is stopping
  | FaultKind // the provider failed
  | ErrorKind; // this gateway refused or failed

/** Whose money a call was: the caller pays for what was answered, the operator for what failed. */
export type Charge = 'caller' | 'operator' | 'not-called';

/** What a call says of the health of its endpoint. */
export type HealthReport = 'success' | 'fault' | 'rate-limit' | 'nothing';

/** The level of the line that is logged of it. */
export type EndingLogLevel = 'info' | 'warn' | 'error';

/** The words of endings outside: log lines, spans, the record of a generation. */
export type EndingName = Exclude<Ending, 'deadline' | 'shutdown' | 'unaffordable'>;

/** `outcome` of the metric of calls. */
export type CallOutcome = 'answered' | 'refused' | 'untranslatable' | 'aborted' | FaultKind;

interface EndingRule {
  readonly charge: Charge;
  readonly health: HealthReport;
  /** HTTP status it is shown with where no provider gave one. */
  readonly status: number;
  readonly name: EndingName;
  /** Null where nobody was called. */
  readonly outcome: CallOutcome | null;
  readonly logLevel: EndingLogLevel;
}

/** What the caller is told when nobody is at fault but the request: quiet, and no sign of health. */
const refusal = (name: ErrorKind, status: number): EndingRule => ({
  charge: 'operator',
  health: 'nothing',
  status,
  name,
  outcome: 'aborted',
  logLevel: 'info',
});

/** A provider failed: what it cost is the operator's. */
const fault = (name: FaultKind, status: number, health: HealthReport = 'fault'): EndingRule => ({
  charge: 'operator',
  health,
  status,
  name,
  outcome: name,
  logLevel: 'warn',
});

/** What follows from each ending. An ending without a row does not compile. */
export const ENDINGS: Readonly<Record<Ending, EndingRule>> = {
  completed: {
    charge: 'caller',
    health: 'success',
    status: 200,
    name: 'completed',
    outcome: 'answered',
    logLevel: 'info',
  },
  refused: {
    charge: 'operator',
    health: 'success',
    status: 200,
    name: 'refused',
    outcome: 'refused',
    logLevel: 'info',
  },
  untranslatable: {
    charge: 'not-called',
    health: 'nothing',
    status: 400,
    name: 'untranslatable',
    outcome: 'untranslatable',
    logLevel: 'info',
  },
  'not-sent': {
    charge: 'not-called',
    health: 'nothing',
    status: 400,
    name: 'not-sent',
    outcome: 'aborted',
    logLevel: 'info',
  },
  unaffordable: {
    charge: 'not-called',
    health: 'nothing',
    status: 402,
    name: 'payment-required',
    outcome: null,
    logLevel: 'info',
  },
  'caller-gone': {
    charge: 'caller',
    health: 'nothing',
    status: 499,
    name: 'caller-gone',
    outcome: 'aborted',
    logLevel: 'info',
  },
  deadline: {
    charge: 'caller',
    health: 'nothing',
    status: 504,
    name: 'timed-out',
    outcome: 'aborted',
    logLevel: 'warn',
  },
  shutdown: {
    charge: 'operator',
    health: 'nothing',
    status: 499,
    name: 'unavailable',
    outcome: 'aborted',
    logLevel: 'warn',
  },

  unreachable: fault('unreachable', 502),
  // What had come before the silence was answered.
  'timed-out': { ...fault('timed-out', 504), charge: 'caller' },
  'refused-credential': fault('refused-credential', 401),
  // These are refusals of this gateway's as well, which nobody need look into.
  'payment-required': { ...fault('payment-required', 402), logLevel: 'info' },
  'not-found': { ...fault('not-found', 404), logLevel: 'info' },
  'too-large': { ...fault('too-large', 413, 'nothing'), logLevel: 'info' },
  'rate-limited': { ...fault('rate-limited', 429, 'rate-limit'), logLevel: 'info' },
  // What one caller sent is no sign of health.
  'rejected-request': { ...fault('rejected-request', 400, 'nothing'), logLevel: 'info' },
  unavailable: fault('unavailable', 503),
  overloaded: fault('overloaded', 529),
  'server-error': fault('server-error', 502),
  'malformed-reply': fault('malformed-reply', 502),

  'invalid-request': refusal('invalid-request', 400),
  'context-too-long': refusal('context-too-long', 400),
  unauthenticated: refusal('unauthenticated', 401),
  forbidden: refusal('forbidden', 403),
  'method-not-allowed': refusal('method-not-allowed', 405),
  conflict: refusal('conflict', 409),
  'unsupported-media-type': refusal('unsupported-media-type', 415),
  unprocessable: refusal('unprocessable', 422),
  'headers-too-large': refusal('headers-too-large', 431),
  'client-closed': refusal('client-closed', 499),
  internal: { ...refusal('internal', 500), logLevel: 'error' },
  'upstream-failed': { ...refusal('upstream-failed', 502), logLevel: 'warn' },
};

/**
 * Ends a generation from outside: its time has run out, or the process stops. Told as the `GatewayError` that it is.
 */
export class CutShort extends GatewayError {
  constructor(
    readonly ending: 'deadline' | 'shutdown',
    kind: ErrorKind,
    message: string,
    retryAfterMs?: number,
  ) {
    super(kind, message, retryAfterMs === undefined ? {} : { retryAfterMs });
  }
}

/** The ending that a thrown reason means. What nobody knows is a fault of ours. */
export function endingOf(reason: unknown): Ending {
  if (reason instanceof CallerGone) return 'caller-gone';
  if (reason instanceof CutShort) return reason.ending;
  if (reason instanceof ProviderFault || reason instanceof GatewayError) return reason.kind;
  return 'internal';
}
