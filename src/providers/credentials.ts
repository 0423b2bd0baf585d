import { ProviderFault } from '../core/errors.js';
import type { CredentialScheme } from '../core/provider.js';
import type { Secret } from '../core/secret.js';

/** Printable ASCII without blanks: what every provider's keys are made of, and what a header carries unharmed. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

/**
 * The headers that put a credential on a call.
 * @throws ProviderFault `refused-credential` when there is none though the scheme wants one, or a header cannot carry it. The
 * message never holds the value.
 */
export function credentialHeaders(scheme: CredentialScheme, credential: Secret | undefined): Record<string, string> {
  switch (scheme) {
    case 'none':
      return {};
    case 'bearer':
      return { authorization: `Bearer ${revealSafe(credential)}` };
    case 'x-api-key':
      return { 'x-api-key': revealSafe(credential) };
  }
}

function revealSafe(credential: Secret | undefined): string {
  if (!credential) throw new ProviderFault('refused-credential', 'There is no credential for the provider.');
  const value = credential.reveal();
  if (HEADER_SAFE.test(value)) return value;
  throw new ProviderFault('refused-credential', 'The credential holds characters that no HTTP header can carry.');
}
