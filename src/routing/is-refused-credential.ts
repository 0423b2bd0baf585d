import type { ProviderFault } from '../core/errors.js';
import { ENDINGS } from '../core/generation/ending.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Leg } from '../core/routing/plan.js';
import { concernsCredential, failureWords } from './vendor-error-patterns.js';

/**
 * Whether a provider refuses the credential of a call, or its account. A 403 is as often about the request, unless its
 * words are about the credential.
 */
export function isRefusedCredential(fault: ProviderFault): boolean {
  const { kind, detail } = fault;
  if (kind === 'payment-required') return true;
  if (kind !== 'refused-credential') return false;
  return detail.status !== ENDINGS['provider-forbidden'].status || concernsCredential(failureWords(fault));
}

/** Whether the operator's own credential was refused. Only the operator can mend that. */
export const isOperatorsRefusal = (fault: ProviderFault, { credential }: Leg): boolean =>
  credential === SHARED_CREDENTIAL && isRefusedCredential(fault);

/** Whether a credential of the caller was refused. A credential that was not sent cannot have been. */
export const refusesOwnCredential = (fault: ProviderFault, { credential }: Leg): boolean =>
  credential !== SHARED_CREDENTIAL && fault.detail.status !== undefined && isRefusedCredential(fault);
