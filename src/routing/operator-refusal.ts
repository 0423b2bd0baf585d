import type { ProviderFault } from '../core/errors.js';
import { ENDINGS } from '../core/generation/ending.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Leg } from '../core/routing/plan.js';
import { speaksOfWhoAsks, failureWords } from './refusal-words.js';

/**
 * Whether a provider refuses the operator's own credential, or the account behind it: what it says of that is the
 * operator's affair alone. A 403 is as often about what was asked, unless its words speak of who asks.
 */
export function isOperatorsRefusal(fault: ProviderFault, { credential }: Leg): boolean {
  const { kind, detail } = fault;
  if (credential !== SHARED_CREDENTIAL) return false;
  if (kind === 'payment-required') return true;
  if (kind !== 'refused-credential') return false;
  return detail.status !== ENDINGS['provider-forbidden'].status || speaksOfWhoAsks(failureWords(fault));
}
