import {
  GatewayError,
  ModelRefusal,
  ProviderFault,
  Untranslatable,
  type ErrorKind,
  type FaultKind,
} from '../core/errors.js';
import type { Usage } from '../core/conversation/usage.js';
import type { Json } from '../core/json.js';
import type { Leg } from '../core/routing/plan.js';

interface FaultPolicy {
  /** What may do better: another endpoint of the same model, or only another model, where the request itself was at fault. */
  readonly tryNext: 'endpoint' | 'model';
  /** What it says of the endpoint's health. Never cooled for what one caller sent. */
  readonly health: 'fault' | 'rate-limit' | 'nothing';
  /** What the caller is told when it was the last word (DESIGN 11). */
  readonly tells: ErrorKind;
  /** HTTP status it is shown with where the provider gave none. */
  readonly status: number;
}

/** What follows from each kind of fault. A kind without a row does not compile. */
export const FAULT_POLICIES: Readonly<Record<FaultKind, FaultPolicy>> = {
  unreachable: { tryNext: 'endpoint', health: 'fault', tells: 'upstream-failed', status: 502 },
  'timed-out': { tryNext: 'endpoint', health: 'fault', tells: 'timed-out', status: 504 },
  'refused-credential': { tryNext: 'endpoint', health: 'fault', tells: 'upstream-failed', status: 401 },
  'payment-required': { tryNext: 'endpoint', health: 'fault', tells: 'upstream-failed', status: 402 },
  'not-found': { tryNext: 'endpoint', health: 'fault', tells: 'upstream-failed', status: 404 },
  'rejected-request': { tryNext: 'model', health: 'nothing', tells: 'invalid-request', status: 400 },
  'too-large': { tryNext: 'model', health: 'nothing', tells: 'too-large', status: 413 },
  'rate-limited': { tryNext: 'endpoint', health: 'rate-limit', tells: 'rate-limited', status: 429 },
  unavailable: { tryNext: 'endpoint', health: 'fault', tells: 'unavailable', status: 503 },
  overloaded: { tryNext: 'endpoint', health: 'fault', tells: 'overloaded', status: 529 },
  'server-error': { tryNext: 'endpoint', health: 'fault', tells: 'upstream-failed', status: 502 },
  'malformed-reply': { tryNext: 'endpoint', health: 'fault', tells: 'upstream-failed', status: 502 },
};

/** A provider forbids for what was asked (moderation, say) as often as for who asks: it is no sign of health (WIRE 3.1). */
const FORBIDDEN_STATUS = 403;

/** What a fault says of the health of its endpoint. */
export function healthOf({ kind, detail }: ProviderFault): FaultPolicy['health'] {
  return detail.status === FORBIDDEN_STATUS ? 'nothing' : FAULT_POLICIES[kind].health;
}

/** The HTTP status an attempt is shown with: the provider's own, or the one that says the same. */
export const statusOf = ({ kind, detail }: ProviderFault): number => detail.status ?? FAULT_POLICIES[kind].status;

/** One attempt that did not answer, and why. */
export interface FailedAttempt {
  readonly leg: Leg;
  readonly error: ProviderFault | Untranslatable | ModelRefusal;
  /** What its provider told of it: the operator pays for that. */
  readonly usage?: Usage;
}

/**
 * What the caller is told when attempts ran out: the last fault's word, for what a target cannot carry says nothing of those that
 * were called. The others are listed, so that the first cause is never lost.
 */
export function failureOf(attempts: readonly FailedAttempt[]): GatewayError {
  const decisive = attempts.findLast(isFault) ?? attempts.at(-1)!;
  const others = attempts.filter((attempt) => attempt !== decisive).map(previousError);
  const metadata = others.length > 0 ? { previous_errors: others } : {};
  if (isFault(decisive))
    return faultError(decisive.error, decisive.leg, metadata, commonHint(attempts.filter(isFault)));
  const { path, reason } = decisive.error as Untranslatable;
  return new GatewayError('invalid-request', `${path}: ${reason}`, { metadata });
}

type FaultyAttempt = FailedAttempt & { readonly error: ProviderFault };

const isFault = (attempt: FailedAttempt): attempt is FaultyAttempt => attempt.error instanceof ProviderFault;

/** The shortest wait, when every provider that was called gave a hint (Scope 7.3.3, WIRE 1.32). */
function commonHint(attempts: readonly FaultyAttempt[]): number | undefined {
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
  if (error instanceof ModelRefusal) return { provider, code: 200, message: error.message };
  return { provider, code: error.detail.status ?? null, message: error.message };
}
