import {
  GatewayError,
  ModelRefusal,
  ProviderFault,
  Untranslatable,
  type ErrorKind,
  type FaultKind,
} from '../core/errors.js';
import type { Json } from '../core/json/json.js';
import type { Leg } from '../core/routing/plan.js';
import { isOperatorsRefusal, refusesOwnCredential } from './operator-refusal.js';
import { isTooLong, failureWords } from './refusal-words.js';

interface FaultPolicy {
  /**
   * What may do better: another endpoint of the same model, or only another model, where the
   * request itself was at fault.
   */
  readonly tryNext: 'endpoint' | 'model';
  /** What the caller is told when it was the last word (docs/wire/errors.md#provider-faults). */
  readonly errorKind: ErrorKind;
}

/**
 * What each kind of fault means for the request. A kind without a row does not compile; what it means for
 * the call is in `ENDINGS`.
 */
export const FAULT_POLICIES: Readonly<Record<FaultKind, FaultPolicy>> = {
  unreachable: { tryNext: 'endpoint', errorKind: 'upstream-failed' },
  'timed-out': { tryNext: 'endpoint', errorKind: 'timed-out' },
  'refused-credential': { tryNext: 'endpoint', errorKind: 'upstream-failed' },
  'payment-required': { tryNext: 'endpoint', errorKind: 'upstream-failed' },
  'not-found': { tryNext: 'endpoint', errorKind: 'upstream-failed' },
  'rejected-request': { tryNext: 'model', errorKind: 'invalid-request' },
  'too-large': { tryNext: 'model', errorKind: 'too-large' },
  'rate-limited': { tryNext: 'endpoint', errorKind: 'rate-limited' },
  unavailable: { tryNext: 'endpoint', errorKind: 'unavailable' },
  overloaded: { tryNext: 'endpoint', errorKind: 'overloaded' },
  'server-error': { tryNext: 'endpoint', errorKind: 'upstream-failed' },
  'malformed-reply': { tryNext: 'endpoint', errorKind: 'upstream-failed' },
};

/** One attempt that did not answer, and why. */
export interface FailedAttempt {
  readonly leg: Leg;
  readonly error: ProviderFault | Untranslatable | ModelRefusal;
}

/** What is known of waiting, beside the hints of providers. Milliseconds. */
export interface Waits {
  /** How long the endpoint of a leg is still left alone by this gateway; 0: it is not. */
  readonly pauseOf: (leg: Leg) => number;
  /** The same, of those that were left out for it: the shortest. Infinity: none was. */
  readonly leftOut: number;
}

const NO_WAITS: Waits = { pauseOf: () => 0, leftOut: Infinity };

/**
 * What the caller is told when attempts ran out: the last fault's word, for what a target cannot carry says nothing of
 * those that were called. The others are listed, so that the first cause is never lost.
 */
export function failureOf(attempts: readonly FailedAttempt[], waits = NO_WAITS): GatewayError {
  const decisive = attempts.findLast(isFault) ?? attempts.at(-1)!;
  const others = attempts.filter((attempt) => attempt !== decisive).map(previousError);
  const metadata = others.length > 0 ? { previous_errors: others } : {};
  if (isFault(decisive))
    return faultError(decisive.error, decisive.leg, metadata, waitOf(attempts.filter(isFault), waits));
  const { path, reason } = decisive.error as Untranslatable;
  return new GatewayError('invalid-request', `${path}: ${reason}`, { metadata });
}

type FaultyAttempt = FailedAttempt & { readonly error: ProviderFault };

const isFault = (attempt: FailedAttempt): attempt is FaultyAttempt => attempt.error instanceof ProviderFault;

/**
 * When every provider that was called gave a hint: the least over the legs of the later of that hint and our own pause,
 * so that whoever waits as told is not refused by us (docs/wire/errors.md#retry-after).
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
 * A provider's fault as the caller is told it: its status, its own code where it gave one, and which provider it was.
 */
export function faultError(
  fault: ProviderFault,
  leg: Leg,
  metadata: { readonly [key: string]: Json } = {},
  retryAfterMs?: number,
): GatewayError {
  const { status } = fault.detail;
  const { message, providerCode } = toldOf(fault, leg);
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
 * The provider's words, but for those about a credential that is not the caller's. Of one that is, its label stands
 * before them.
 */
function toldOf(fault: ProviderFault, leg: Leg): { readonly message: string; readonly providerCode?: string } {
  const { name } = leg.endpoint.provider;
  const { message, detail } = fault;
  if (refusesOwnCredential(fault, leg))
    return { ...detail, message: `${name} refuses your own credential ${leg.credentialLabel ?? ''}: ${message}` };
  if (!isOperatorsRefusal(fault, leg)) return { ...detail, message: withName(message, name, fault) };
  return {
    message: `${name} ${REFUSALS[fault.kind] ?? 'refuses the credential of this gateway'}: only the operator of the gateway can mend that.`,
  };
}

/** What a provider refuses this gateway by; without its words, which are for the operator. */
const REFUSALS: Partial<Record<FaultKind, string>> = {
  'payment-required': 'refuses this gateway for want of payment',
};

/** Sentences of this gateway get the name in the place of "the provider". Of a failure it is put before other words. */
function withName(message: string, name: string, { kind }: ProviderFault): string {
  const named = message.replace(/^The provider\b/, () => name);
  const isNamed = named.includes(name) || FAULT_POLICIES[kind].errorKind !== 'upstream-failed';
  return isNamed ? named : `${name}: ${named}`;
}

/**
 * What the caller is told of a provider that fails in mid-reply. A cut is told in the words by which programs know that
 * the request may be sent again: nothing else in a stream tells them its status
 * (docs/wire/streams.md#failures-in-mid-stream).
 */
export function midReplyError(fault: ProviderFault, leg: Leg): GatewayError {
  if (fault.detail.isCut !== true) return faultError(fault, leg);
  const message = `provider returned error: connection error: ${toldOf(fault, leg).message}`;
  return faultError(new ProviderFault(fault.kind, message, fault.detail, { cause: fault.cause }), leg);
}

function previousError({ leg, error }: FailedAttempt): Json {
  const provider = leg.endpoint.provider.name;
  if (error instanceof Untranslatable) return { provider, code: 400, message: error.message };
  if (error instanceof ModelRefusal) return { provider, code: 200, message: error.message };
  return { provider, code: error.detail.status ?? null, message: toldOf(error, leg).message };
}
