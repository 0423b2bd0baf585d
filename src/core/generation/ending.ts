import {
  CallerGone,
  GatewayError,
  ProviderFault,
  type ErrorDetail,
  type ErrorKind,
  type FaultKind,
} from '../errors.js';

/** How a generation ended, and how each of its calls did. Closed: what follows from each stands in `ENDINGS`. */
export type Ending =
  | 'completed' // the reply came to its end
  | 'refused' // the model would not answer, and another one was asked
  | 'untranslatable' // the target cannot carry the request: it was not called
  | 'caller-gone'
  | 'deadline' // the request took longer than this gateway allows
  | 'shutdown' // this process is stopping
  | 'reply-refused' // this gateway lets no more of the reply out
  | ProviderEnding // the provider failed
  | ErrorKind; // this gateway refused or failed

/**
 * A provider's fault. Under a name of its own: this gateway refuses and fails by some of the same words. Providers
 * forbid (403) for what was asked, moderation say, as often as for who asks: that is an ending of its own. So is one
 * that had all the time of its request and said not one word: it is to blame, and bills what it was sent.
 */
export type ProviderEnding = `provider-${FaultKind}` | 'provider-forbidden' | 'provider-out-of-time';

/** Whose money a call was: the caller pays for what was answered, the operator for what failed. */
export type Charge = 'caller' | 'operator' | 'not-called';

/** What a call says of the health of its endpoint. `doubtful-fault`: what was asked may have caused it. */
export type HealthReport = 'success' | 'fault' | 'doubtful-fault' | 'rate-limit' | 'nothing';

/**
 * What the record of a generation says that ended so: its reply came to its end, its caller left before that, or it
 * failed.
 */
export type EndingResult = 'whole' | 'cancelled' | 'failed';

/** The level of the line that is logged of it. */
export type EndingLogLevel = 'info' | 'warn' | 'error';

/** The words of endings outside: log lines, spans, the record of a generation. */
export type EndingName = Exclude<
  Ending,
  'deadline' | 'shutdown' | 'reply-refused' | 'provider-forbidden' | 'provider-out-of-time'
>;

/** `outcome` of the metric of calls, of which every kind of fault is a provider's. */
export type CallOutcome = 'answered' | 'refused' | 'untranslatable' | 'aborted' | FaultKind;

interface EndingRule {
  readonly charge: Charge;
  /** The gateway left the provider, who had not failed and bills what was sent, whether a word of it came or not. */
  readonly abandons?: true;
  /**
   * A generation that its caller left, or that called a provider and ended so, came to nothing by its caller's doing or
   * after its provider had worked for it: a key has so many (docs/wire/limits.md#wasted-calls). Not where the provider
   * turned it away.
   */
  readonly wastes?: true;
  /** The gateway refuses what its caller sent: wasted where something outside had been paid for by then. */
  readonly refusesRequest?: boolean;
  readonly health: HealthReport;
  /** HTTP status it is shown with where no provider gave one. */
  readonly status: number;
  readonly name: EndingName;
  readonly outcome: CallOutcome;
  readonly result: EndingResult;
  readonly logLevel: EndingLogLevel;
}

/** Statuses of refusals that are due to what the caller sent, and not to how busy others are. */
const REFUSES_REQUEST: ReadonlySet<number> = new Set([400, 402, 403, 413, 422]);

/** This gateway refuses or fails: the provider is not at fault, and only what `logLevel` says is to be looked into. */
const refusal = (name: ErrorKind, status: number, logLevel: EndingLogLevel = 'info'): EndingRule => ({
  charge: 'operator',
  health: 'nothing',
  status,
  name,
  outcome: 'aborted',
  result: 'failed',
  logLevel,
  refusesRequest: REFUSES_REQUEST.has(status),
});

/** A provider failed: what it cost is the operator's. */
const fault = (kind: FaultKind, status: number, health: HealthReport = 'fault'): EndingRule => ({
  charge: 'operator',
  health,
  status,
  name: `provider-${kind}`,
  outcome: kind,
  result: 'failed',
  logLevel: 'warn',
});

/** The same, where it had worked for the call, or was asked what it does not do. */
const wastedFault = (...told: Parameters<typeof fault>): EndingRule => ({ ...fault(...told), wastes: true });

/** What follows from each ending. An ending without a row does not compile. */
export const ENDINGS: Readonly<Record<Ending, EndingRule>> = {
  completed: {
    charge: 'caller',
    health: 'success',
    status: 200,
    name: 'completed',
    outcome: 'answered',
    result: 'whole',
    logLevel: 'info',
  },
  refused: {
    charge: 'operator',
    health: 'success',
    status: 200,
    name: 'refused',
    outcome: 'refused',
    result: 'failed',
    logLevel: 'info',
  },
  untranslatable: {
    charge: 'not-called',
    health: 'nothing',
    status: 400,
    name: 'untranslatable',
    outcome: 'untranslatable',
    result: 'failed',
    logLevel: 'info',
  },
  'caller-gone': {
    charge: 'caller',
    abandons: true,
    wastes: true,
    health: 'nothing',
    status: 499,
    name: 'caller-gone',
    outcome: 'aborted',
    result: 'cancelled',
    logLevel: 'info',
  },
  deadline: {
    charge: 'caller',
    abandons: true,
    wastes: true,
    health: 'nothing',
    status: 504,
    name: 'timed-out',
    outcome: 'aborted',
    result: 'failed',
    logLevel: 'warn',
  },
  shutdown: {
    charge: 'operator',
    abandons: true,
    health: 'nothing',
    status: 499,
    name: 'service-unavailable',
    outcome: 'aborted',
    result: 'failed',
    logLevel: 'warn',
  },
  'reply-refused': {
    charge: 'caller',
    abandons: true,
    health: 'nothing',
    status: 403,
    name: 'forbidden',
    outcome: 'aborted',
    result: 'failed',
    logLevel: 'info',
    refusesRequest: true,
  },

  'provider-unreachable': fault('unreachable', 502),
  'provider-timed-out': wastedFault('timed-out', 504, 'doubtful-fault'),
  'provider-out-of-time': { ...wastedFault('timed-out', 504, 'doubtful-fault'), charge: 'caller', abandons: true },
  'provider-refused-credential': fault('refused-credential', 401, 'doubtful-fault'),
  // No sign of health (docs/wire/routing.md#default-order), and else the same.
  'provider-forbidden': { ...wastedFault('refused-credential', 403), health: 'nothing' },
  'provider-payment-required': fault('payment-required', 402, 'doubtful-fault'),
  'provider-not-found': fault('not-found', 404, 'doubtful-fault'),
  // What one caller sent is no sign of health.
  'provider-rejected-request': { ...wastedFault('rejected-request', 400, 'nothing'), logLevel: 'info' },
  'provider-too-large': { ...wastedFault('too-large', 413, 'nothing'), logLevel: 'info' },
  // Everyday, and over by itself.
  'provider-rate-limited': { ...fault('rate-limited', 429, 'rate-limit'), logLevel: 'info' },
  'provider-unavailable': fault('unavailable', 503),
  'provider-overloaded': fault('overloaded', 529),
  'provider-server-error': wastedFault('server-error', 502),
  'provider-malformed-reply': wastedFault('malformed-reply', 502, 'doubtful-fault'),

  'invalid-request': refusal('invalid-request', 400),
  'context-too-long': refusal('context-too-long', 400),
  unauthenticated: refusal('unauthenticated', 401),
  // What is under way then has been asked for by who cannot pay for what judges it, or for who is asked beside it.
  'payment-required': { ...refusal('payment-required', 402), charge: 'caller', abandons: true },
  forbidden: refusal('forbidden', 403),
  'not-found': refusal('not-found', 404),
  'method-not-allowed': refusal('method-not-allowed', 405),
  conflict: refusal('conflict', 409),
  'request-timed-out': refusal('request-timed-out', 408),
  'too-large': refusal('too-large', 413),
  'unsupported-media-type': refusal('unsupported-media-type', 415),
  unprocessable: refusal('unprocessable', 422),
  'rate-limited': refusal('rate-limited', 429),
  'headers-too-large': refusal('headers-too-large', 431),
  'client-closed': { ...refusal('client-closed', 499), result: 'cancelled', wastes: true },
  internal: refusal('internal', 500, 'error'),
  'upstream-failed': { ...refusal('upstream-failed', 502, 'warn'), wastes: true },
  unavailable: refusal('unavailable', 503, 'warn'),
  'service-unavailable': refusal('service-unavailable', 503, 'warn'),
  'timed-out': refusal('timed-out', 504, 'warn'),
  overloaded: refusal('overloaded', 529, 'warn'),
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

/** Lets no more of a reply out, for what it says: the provider did what it was asked, and is paid for what came. */
export class ReplyRefused extends GatewayError {
  constructor(message: string, metadata: NonNullable<ErrorDetail['metadata']>) {
    super('forbidden', message, { metadata });
  }
}

/** How a call ended whose provider failed. */
export const providerEnding = ({ kind, detail }: ProviderFault): ProviderEnding =>
  kind === 'refused-credential' && detail.status === ENDINGS['provider-forbidden'].status
    ? 'provider-forbidden'
    : `provider-${kind}`;

/** The provider's fault that a thrown reason is, or passes on as its cause. */
export function faultOf(reason: unknown): ProviderFault | undefined {
  if (reason instanceof ProviderFault) return reason;
  return reason instanceof GatewayError && reason.cause instanceof ProviderFault ? reason.cause : undefined;
}

/**
 * The ending that a thrown reason means. An error that passes on a provider's fault, as its cause, is that fault; what
 * nobody knows is a failure of ours.
 */
export function endingOf(reason: unknown): Ending {
  if (reason instanceof CallerGone) return 'caller-gone';
  if (reason instanceof CutShort) return reason.ending;
  if (reason instanceof ReplyRefused) return 'reply-refused';
  const fault = faultOf(reason);
  if (fault) return providerEnding(fault);
  return reason instanceof GatewayError ? reason.kind : 'internal';
}
