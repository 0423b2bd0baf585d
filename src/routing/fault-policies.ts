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
 * What the caller is told when attempts ran out: the last one's word. The others are listed, so that the first cause is never
 * lost; `Retry-After` only when every attempt was given a hint (Scope 7.3.3).
 */
export function failureOf(attempts: readonly FailedAttempt[]): GatewayError {
  const last = attempts.at(-1)!;
  const previous = attempts.slice(0, -1).map(previousError);
  if (last.error instanceof Untranslatable) {
    return new GatewayError('invalid-request', `${last.error.path}: ${last.error.reason}`, {
      ...(previous.length > 0 && { metadata: { previous_errors: previous } }),
    });
  }
  const hints = attempts.map(({ error }) => (error instanceof ProviderFault ? error.detail.retryAfterMs : undefined));
  const allHinted = hints.every((hint) => hint !== undefined);
  return faultError(last.error, last.leg, {
    ...(previous.length > 0 && { previous_errors: previous }),
  }, allHinted ? Math.min(...(hints as number[])) : undefined); // prettier-ignore
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
    fault.message,
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

function previousError({ leg, error }: FailedAttempt): Json {
  const provider = leg.endpoint.provider.name;
  if (error instanceof Untranslatable) return { provider, code: 400, message: error.message };
  return { provider, code: error.detail.status ?? null, message: error.message };
}
