import type { ProviderFault } from '../core/errors.js';
import { ENDINGS } from '../core/generation/ending.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Leg } from '../core/routing/plan.js';
import { speaksOfWhoAsks, failureWords } from './refusal-words.js';

/**
 * Whether a provider refuses the credential of a call, or the account behind it. A 403 is as often about
 * what was requested, unless its words speak of who requests it.
 */
export function isRefusedCredential(fault: ProviderFault): boolean {
  const { kind, detail } = fault;
  if (kind === 'payment-required') return true;
  if (kind !== 'refused-credential') return false;
  return detail.status !== ENDINGS['provider-forbidden'].status || speaksOfWhoAsks(failureWords(fault));
}

/** The same of the operator's own credential: what is known of that is the operator's affair alone. */
export const isOperatorsRefusal = (fault: ProviderFault, { credential }: Leg): boolean =>
  credential === SHARED_CREDENTIAL && isRefusedCredential(fault);

/** The same of a credential of the caller's. One that was not sent was refused by nobody. */
export const refusesOwnCredential = (fault: ProviderFault, { credential }: Leg): boolean =>
  credential !== SHARED_CREDENTIAL && fault.detail.status !== undefined && isRefusedCredential(fault);
