import {
  CallerGone,
  GatewayError,
  ProviderFault,
  type ErrorDetail,
  type ErrorKind,
  type FaultKind,
} from '../errors.js';

/** The ending of a generation, and of each of its calls. Closed: `ENDINGS` gives the consequences of each. */
export type Ending =
  | 'completed' // the reply came to its end
  | 'refused' // the model refused, and another one was called
  | 'untranslatable' // the target cannot carry the request: it was not called
  | 'caller-gone'
  | 'deadline' // the request took longer than this gateway allows
  | 'shutdown' // this process is stopping
  | 'reply-refused' // this gateway stopped the reply because of its content
  | ProviderEnding // the provider failed
  | ErrorKind; // this gateway refused or failed

/**
 * A provider's fault. Named apart, because this gateway refuses and fails with some of the same words. Providers answer
 * 403 as often because of the content of a request (moderation) as because of the credential, so that is a separate
 * ending. So is a provider that used the whole time of a request without sending any content: it is at fault, and bills
 * what it received.
 */
export type ProviderEnding = `provider-${FaultKind}` | 'provider-forbidden' | 'provider-out-of-time';

/** The payer of a call: the caller pays for an answer, the operator for a failure. */
export type Charge = 'caller' | 'operator' | 'not-called';

/**
 * The effect of a call on the health of its endpoint. `doubtful-fault`: the request itself may have caused the failure.
 */
export type HealthReport = 'success' | 'fault' | 'doubtful-fault' | 'rate-limit' | 'nothing';

/**
 * The result in the record of a generation: its reply was complete, its caller disconnected before that, or it failed.
 */
export type EndingResult = 'whole' | 'cancelled' | 'failed';

/** The level of its log line. */
export type EndingLogLevel = 'info' | 'warn' | 'error';

/** The public names of endings: log lines, spans, the record of a generation. */
export type EndingName = Exclude<
  Ending,
  'deadline' | 'shutdown' | 'reply-refused' | 'provider-forbidden' | 'provider-out-of-time'
>;

/** `outcome` of the metric of calls, in which every kind of fault belongs to a provider. */
export type CallOutcome = 'answered' | 'refused' | 'untranslatable' | 'aborted' | FaultKind;

interface EndingRule {
  readonly charge: Charge;
  /**
   * The gateway disconnected from a provider that had not failed and bills what it was sent, whether or not content
   * arrived.
   */
  readonly abandons?: true;
  /**
   * A generation with this ending counts as a wasted call if the client disconnected or a provider was called: it
   * failed because of the caller, or after a provider had worked for it. A key has a limit of them
   * (docs/use/limits.md#wasted-calls). Not set where the provider turned the request away.
   */
  readonly wastes?: true;
  /** The gateway refuses what its caller sent: wasted where an external service had been paid by then. */
  readonly refusesRequest?: boolean;
  readonly health: HealthReport;
  /** HTTP status that is shown where no provider gave one. */
  readonly status: number;
  readonly name: EndingName;
  readonly outcome: CallOutcome;
  readonly result: EndingResult;
  readonly logLevel: EndingLogLevel;
}

/** Statuses of refusals that the request itself causes, not the load of the gateway or a provider. */
const REFUSES_REQUEST: ReadonlySet<number> = new Set([400, 402, 403, 413, 422]);

/** This gateway refuses or fails: the provider is not at fault, and `logLevel` states whether an operator must act. */
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

/** A provider failed: the operator bears the cost. */
const fault = (kind: FaultKind, status: number, health: HealthReport = 'fault'): EndingRule => ({
  charge: 'operator',
  health,
  status,
  name: `provider-${kind}`,
  outcome: kind,
  result: 'failed',
  logLevel: 'warn',
});

/** A `fault` after the provider had worked for the call, or for a request that the provider does not serve. */
const wastedFault = (...args: Parameters<typeof fault>): EndingRule => ({ ...fault(...args), wastes: true });

/** The consequences of each ending. An ending without a row does not compile. */
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
  // Neither a success nor a fault for the endpoint's health (docs/use/choosing-providers.md#default-order).
  'provider-forbidden': { ...wastedFault('refused-credential', 403), health: 'nothing' },
  'provider-payment-required': fault('payment-required', 402, 'doubtful-fault'),
  'provider-not-found': fault('not-found', 404, 'doubtful-fault'),
  // The request of one caller implies nothing for the health.
  'provider-rejected-request': { ...wastedFault('rejected-request', 400, 'nothing'), logLevel: 'info' },
  'provider-too-large': { ...wastedFault('too-large', 413, 'nothing'), logLevel: 'info' },
  // Frequent, and passes without action.
  'provider-rate-limited': { ...fault('rate-limited', 429, 'rate-limit'), logLevel: 'info' },
  'provider-unavailable': fault('unavailable', 503),
  'provider-overloaded': fault('overloaded', 529),
  'provider-server-error': wastedFault('server-error', 502),
  'provider-malformed-reply': wastedFault('malformed-reply', 502, 'doubtful-fault'),

  'invalid-request': refusal('invalid-request', 400),
  'context-too-long': refusal('context-too-long', 400),
  unauthenticated: refusal('unauthenticated', 401),
  // The running call then belongs to a caller that cannot pay for a moderation or consultation beside it.
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
 * Ends a generation from outside: its time has run out, or the process stops. The caller receives it as a
 * `GatewayError`.
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

/** Stops a reply because of its content: the provider did its work, and is paid for what arrived. */
export class ReplyRefused extends GatewayError {
  constructor(message: string, metadata: NonNullable<ErrorDetail['metadata']>) {
    super('forbidden', message, { metadata });
  }
}

/** The ending of a call whose provider failed. */
export const providerEnding = ({ kind, detail }: ProviderFault): ProviderEnding =>
  kind === 'refused-credential' && detail.status === ENDINGS['provider-forbidden'].status
    ? 'provider-forbidden'
    : `provider-${kind}`;

/** The provider's fault that a thrown reason is or has as its cause. */
export function faultOf(reason: unknown): ProviderFault | undefined {
  if (reason instanceof ProviderFault) return reason;
  return reason instanceof GatewayError && reason.cause instanceof ProviderFault ? reason.cause : undefined;
}

/**
 * The ending for a thrown reason. An error that has a provider's fault as its cause ends like that fault; an unknown
 * error is an internal failure.
 */
export function endingOf(reason: unknown): Ending {
  if (reason instanceof CallerGone) return 'caller-gone';
  if (reason instanceof CutShort) return reason.ending;
  if (reason instanceof ReplyRefused) return 'reply-refused';
  const fault = faultOf(reason);
  if (fault) return providerEnding(fault);
  return reason instanceof GatewayError ? reason.kind : 'internal';
}
