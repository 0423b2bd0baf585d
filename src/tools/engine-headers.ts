import type { Secret } from '../core/secret.js';

/** The headers that carry a credential; none where there is none. */
export type CredentialHeaders = (credential: Secret | undefined) => Readonly<Record<string, string>>;

export const bearer: CredentialHeaders = (credential) =>
  credential ? { authorization: `Bearer ${credential.reveal()}` } : {};

export const apiKey: CredentialHeaders = (credential) => (credential ? { 'x-api-key': credential.reveal() } : {});
