import { GatewayError, ProviderFault, Untranslatable, type ErrorKind, type FaultKind } from '../core/errors.js';
import type { Json } from '../core/json.js';
import type { Leg } from '../core/routing/plan.js';

interface FaultPolicy {
  /** Another endpoint may do better. */
  readonly tryNext: boolean;
  /** What the caller is told when it was the last word (DESIGN 11). */
  readonly tells: ErrorKind;
}

/** What follows from each kind of fault. A kind without a row does not compile. */
export const FAULT_POLICIES: Readonly<Record<FaultKind, FaultPolicy>> = {
  unreachable: { tryNext: true, tells: 'upstream-failed' },
  'timed-out': { tryNext: true, tells: 'timed-out' },
  'refused-credential': { tryNext: true, tells: 'upstream-failed' },
  'payment-required': { tryNext: true, tells: 'upstream-failed' },
  'not-found': { tryNext: true, tells: 'upstream-failed' },
  'rejected-request': { tryNext: false, tells: 'invalid-request' },
  'too-large': { tryNext: false, tells: 'too-large' },
  'rate-limited': { tryNext: true, tells: 'rate-limited' },
  unavailable: { tryNext: true, tells: 'unavailable' },
  overloaded: { tryNext: true, tells: 'overloaded' },
  'server-error': { tryNext: true, tells: 'upstream-failed' },
  'malformed-reply': { tryNext: true, tells: 'upstream-failed' },
};

/** One attempt that did not answer, and why. */
export interface FailedAttempt {
  readonly leg: Leg;
  readonly error: ProviderFault | Untranslatable;
}

/**
 * What the caller is told when attempts ran out: the last fault's word, for what a target cannot carry says nothing of those that
 * were called. The others are listed, so that the first cause is never lost.
 */
export function failureOf(attempts: readonly FailedAttempt[]): GatewayError {
  const decisive = attempts.findLast(isCalled) ?? attempts.at(-1)!;
  const others = attempts.filter((attempt) => attempt !== decisive).map(previousError);
  const metadata = others.length > 0 ? { previous_errors: others } : {};
  if (isCalled(decisive))
    return faultError(decisive.error, decisive.leg, metadata, commonHint(attempts.filter(isCalled)));
  const { path, reason } = decisive.error as Untranslatable;
  return new GatewayError('invalid-request', `${path}: ${reason}`, { metadata });
}

type CalledAttempt = FailedAttempt & { readonly error: ProviderFault };

const isCalled = (attempt: FailedAttempt): attempt is CalledAttempt => attempt.error instanceof ProviderFault;

/** The shortest wait, when every provider that was called gave a hint (Scope 7.3.3, WIRE 1.32). */
function commonHint(attempts: readonly CalledAttempt[]): number | undefined {
  let shortestMs = Infinity;
  for (const { error } of attempts) {
    const { retryAfterMs } = error.detail;
    if (retryAfterMs === undefined) return undefined;
    shortestMs = Math.min(shortestMs, retryAfterMs);
  }
  return shortestMs;
}

/** A provider's fault as the caller is told it: its status, its own code where it gave one, and which provider it was. */
export function faultError(
  fault: ProviderFault,
  leg: Leg,
  metadata: { readonly [key: string]: Json } = {},
  retryAfterMs?: number,
): GatewayError {
  const { providerCode, status } = fault.detail;
  const kind = status === 422 ? 'unprocessable' : FAULT_POLICIES[fault.kind].tells;
  return new GatewayError(
    kind,
    withoutCredential(fault.message, leg),
    {
      metadata: {
        provider_name: leg.endpoint.provider.name,
        ...(providerCode !== undefined && { provider_code: withoutCredential(providerCode, leg) }),
        ...metadata,
      },
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
    { cause: fault },
  );
}

function previousError({ leg, error }: FailedAttempt): Json {
  const provider = leg.endpoint.provider.name;
  if (error instanceof Untranslatable) return { provider, code: 400, message: error.message };
  return { provider, code: error.detail.status ?? null, message: withoutCredential(error.message, leg) };
}

/** A provider may repeat the key it refuses: whatever its form, the very text of it is never passed on. */
function withoutCredential(words: string, { endpoint }: Leg): string {
  const { credential } = endpoint.provider;
  return credential ? words.replaceAll(credential.reveal(), '[secret]') : words;
}
