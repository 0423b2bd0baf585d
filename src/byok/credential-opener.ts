import { Injectable } from '@nestjs/common';
import type { Secret } from '../core/secret.js';
import { withinTime } from '../shared/within-time.js';
import type { ProviderCredentialEntity } from './provider-credential.entity.js';
import { Undecryptable } from '../vault/key-service.js';
import { Vault } from '../vault/vault.js';

/**
 * Whether a stored credential can be read: `undecryptable` until an operator repairs it, the other perhaps only
 * temporarily.
 */
export const CREDENTIAL_STATUSES = ['ok', 'undecryptable', 'key_service_unavailable'] as const;
export type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number];

/** Why one cannot be read. */
export const UNREADABLE: Readonly<Record<Exclude<CredentialStatus, 'ok'>, string>> = {
  undecryptable: 'The stored credential cannot be decrypted with the encryption keys of this process.',
  key_service_unavailable: 'The key service does not answer; try again shortly.',
};

/** The result of opening a credential. */
export type Opening =
  | { readonly status: 'ok'; readonly secret: Secret }
  | { readonly status: Exclude<CredentialStatus, 'ok'>; readonly cause: unknown };

/** Opens credentials one by one: a defect of one becomes its status, and never affects the rest. Safe to share. */
@Injectable()
export class CredentialOpener {
  constructor(private readonly vault: Vault) {}

  /** Takes two seconds at most. Never rejects. */
  async open(row: ProviderCredentialEntity): Promise<Opening> {
    const { keyId, wrappedKey, sealed } = row;
    try {
      // Deleted in the meantime.
      if (keyId === null || wrappedKey === null || sealed === null) throw new Undecryptable('The credential is wiped.');
      return { status: 'ok', secret: await withinTime(this.vault.open({ keyId, wrappedKey, sealed }, row)) };
    } catch (cause) {
      return { status: cause instanceof Undecryptable ? 'undecryptable' : 'key_service_unavailable', cause };
    }
  }
}

/** Names a credential by label and id: the name that its owner gave it may contain more than a log should. */
export const nameInLog = ({ label, id, provider }: ProviderCredentialEntity): string => `${label} (${provider}, ${id})`;
