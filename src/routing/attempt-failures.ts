import { inWordsOf, type FieldNames } from '../core/conversation/field-names.js';
import {
  GatewayError,
  ModelRefusal,
  ProviderFault,
  Untranslatable,
  type ErrorKind,
  type FaultKind,
} from '../core/errors.js';
import { FAULT_POLICIES } from '../core/fault-policies.js';
import type { Json } from '../core/json/json.js';
import type { Leg } from '../core/routing/plan.js';
import { isOperatorsRefusal, refusesOwnCredential } from './is-refused-credential.js';
import { isTooLong, failureWords } from './vendor-error-patterns.js';

/** One failed attempt and its fault. */
export interface FailedAttempt {
  readonly leg: Leg;
  readonly error: ProviderFault | Untranslatable | ModelRefusal;
}

/** Known waiting times besides the providers' hints. Milliseconds. */
export interface Waits {
  /** The remaining pause of a leg's endpoint in this gateway; 0: none. */
  readonly pauseOf: (leg: Leg) => number;
  /** The shortest pause of those that were left out for it. Infinity: none was. */
  readonly leftOut: number;
}

const NO_WAITS: Waits = { pauseOf: () => 0, leftOut: Infinity };

/**
 * The error when attempts ran out: the last fault of a provider that was called decides, because a target that cannot
 * carry the request was not called. The others are listed, so that the first cause is never lost.
 * @param names the caller's names of fields
 */
export function errorOfAttempts(
  attempts: readonly FailedAttempt[],
  names?: FieldNames,
  waits: Waits = NO_WAITS,
): GatewayError {
  const decisive = attempts.findLast(isFault) ?? attempts.at(-1)!;
  const others = attempts.filter((attempt) => attempt !== decisive).map((attempt) => previousError(attempt, names));
  const metadata = others.length > 0 ? { previous_errors: others } : {};
  if (isFault(decisive))
    return faultError(decisive.error, decisive.leg, metadata, waitOf(attempts.filter(isFault), waits));
  return new GatewayError('invalid-request', wordsOf(decisive.error as Untranslatable, names), { metadata });
}

const wordsOf = ({ path, reason }: Untranslatable, names: FieldNames | undefined): string =>
  `${inWordsOf(names, path)}: ${reason}`;

type FaultyAttempt = FailedAttempt & { readonly error: ProviderFault };

const isFault = (attempt: FailedAttempt): attempt is FaultyAttempt => attempt.error instanceof ProviderFault;

/**
 * When every called provider gave a hint: the minimum over the legs of the later of the hint and the gateway's own
 * pause, so that a caller that waits this long is not refused by the gateway (docs/use/errors.md#retry-after).
 */
function waitOf(attempts: readonly FaultyAttempt[], { pauseOf, leftOut }: Waits): number | undefined {
  let shortestMs = leftOut;
  for (const { leg, error } of attempts) {
    const { retryAfterMs } = error.detail;
    if (retryAfterMs === undefined) return undefined;
    shortestMs = Math.min(shortestMs, Math.max(retryAfterMs, pauseOf(leg)));
  }
  return shortestMs;
}

/**
 * The caller's error for a provider's fault: its status, the provider's own code where it gave one, and the provider.
 */
export function faultError(
  fault: ProviderFault,
  leg: Leg,
  metadata: { readonly [key: string]: Json } = {},
  retryAfterMs?: number,
): GatewayError {
  const { status } = fault.detail;
  const { message, providerCode } = reportedFault(fault, leg);
  const kind = status === 422 ? 'unprocessable' : errorKindOf(fault);
  return new GatewayError(
    kind,
    message,
    {
      metadata: {
        provider_name: leg.endpoint.provider.name,
        ...(providerCode !== undefined && { provider_code: providerCode }),
        ...metadata,
      },
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
    { cause: fault },
  );
}

function errorKindOf(fault: ProviderFault): ErrorKind {
  if (fault.kind === 'rejected-request' && isTooLong(failureWords(fault))) return 'context-too-long';
  return FAULT_POLICIES[fault.kind].errorKind;
}

/**
 * The provider's message, unless it is about a credential that is not the caller's. For the caller's own, its label is
 * put before them.
 */
function reportedFault(fault: ProviderFault, leg: Leg): { readonly message: string; readonly providerCode?: string } {
  const { name } = leg.endpoint.provider;
  const { message, detail } = fault;
  if (refusesOwnCredential(fault, leg))
    return { ...detail, message: `${name} refuses your own credential ${leg.credentialLabel ?? ''}: ${message}` };
  if (!isOperatorsRefusal(fault, leg)) return { ...detail, message: withName(message, name, fault) };
  return {
    message: `${name} ${REFUSALS[fault.kind] ?? 'refuses the credential of this gateway'}: only the operator of the gateway can fix it.`,
  };
}

/** Replaces the message of a provider that refuses the gateway itself: it is for the operator. */
const REFUSALS: Partial<Record<FaultKind, string>> = {
  'payment-required': 'requires payment from the account of this gateway',
};

/**
 * Inserts the provider's name into the gateway's own sentences instead of "the provider"; in a failure it precedes
 * other messages.
 */
function withName(message: string, name: string, { kind }: ProviderFault): string {
  const named = message.replace(/^The provider\b/, () => name);
  const isNamed = named.includes(name) || FAULT_POLICIES[kind].errorKind !== 'upstream-failed';
  return isNamed ? named : `${name}: ${named}`;
}

/**
 * The error for a provider that fails mid-stream. A cut is worded so that client programs recognise it as safe to
 * retry: a stream carries no status for that (docs/use/streaming.md#failures-in-mid-stream).
 */
export function midReplyError(fault: ProviderFault, leg: Leg): GatewayError {
  if (fault.detail.isCut !== true) return faultError(fault, leg);
  const message = `provider returned error: connection error: ${reportedFault(fault, leg).message}`;
  return faultError(new ProviderFault(fault.kind, message, fault.detail, { cause: fault.cause }), leg);
}

function previousError({ leg, error }: FailedAttempt, names: FieldNames | undefined): Json {
  const provider = leg.endpoint.provider.name;
  if (error instanceof Untranslatable) return { provider, code: 400, message: wordsOf(error, names) };
  if (error instanceof ModelRefusal) return { provider, code: 200, message: error.message };
  return { provider, code: error.detail.status ?? null, message: reportedFault(error, leg).message };
}
