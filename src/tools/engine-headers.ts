import type { Secret } from '../core/secret.js';

/** How an engine is told a credential; nothing where it has none. */
export type CredentialHeaders = (credential: Secret | undefined) => Readonly<Record<string, string>>;

export const bearer: CredentialHeaders = (credential) =>
  credential ? { authorization: `Bearer ${credential.reveal()}` } : {};

export const apiKey: CredentialHeaders = (credential) => (credential ? { 'x-api-key': credential.reveal() } : {});
