import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secret } from '../core/secret.js';
import { KeyService } from './key-service.js';
import { KEY_BYTES, open, seal } from './sealed-box.js';

/** The location of a credential: bound to its ciphertext, so that no row can be passed off as another. */
export interface CredentialContext {
  readonly id: string;
  readonly workspaceId: string;
  /** Slug. */
  readonly provider: string;
}

/** A credential as it is stored. */
export interface SealedCredential {
  readonly keyId: string;
  readonly wrappedKey: Buffer;
  readonly sealed: Buffer;
}

/**
 * Envelope encryption of provider credentials: a data key for each, wrapped by a key-encryption key
 * (docs/contribute/threat-model.md#stored-credentials-and-management).
 */
@Injectable()
export class Vault {
  constructor(private readonly keys: KeyService) {}

  /** Id of the key that new credentials are sealed under. */
  get currentKeyId(): string {
    return this.keys.currentKeyId;
  }

  /** Whether this process has the key of that id: otherwise it cannot open what the key wrapped. */
  hasKey(keyId: string): boolean {
    return this.keys.unwraps(keyId);
  }

  /** @throws KeyServiceUnavailable */
  async seal(credential: Secret, owner: CredentialContext): Promise<SealedCredential> {
    const context = contextOf(owner);
    const dataKey = randomBytes(KEY_BYTES);
    const sealed = seal(Buffer.from(credential.reveal()), dataKey, context);
    return { ...(await this.wrap(dataKey, context)), sealed };
  }

  /** @throws Undecryptable, KeyServiceUnavailable */
  async open({ keyId, wrappedKey, sealed }: SealedCredential, owner: CredentialContext): Promise<Secret> {
    const context = contextOf(owner);
    const dataKey = await this.keys.unwrap({ keyId, wrapped: wrappedKey }, context);
    return new Secret(open(sealed, dataKey, context).toString());
  }

  /**
   * The credential with its data key wrapped by the current key: the ciphertext itself does not change, but is verified
   * to open.
   * @throws Undecryptable, KeyServiceUnavailable
   */
  async rewrap({ keyId, wrappedKey, sealed }: SealedCredential, owner: CredentialContext): Promise<SealedCredential> {
    const context = contextOf(owner);
    const dataKey = await this.keys.unwrap({ keyId, wrapped: wrappedKey }, context);
    open(sealed, dataKey, context);
    return { ...(await this.wrap(dataKey, context)), sealed };
  }

  private async wrap(dataKey: Buffer, context: string): Promise<Pick<SealedCredential, 'keyId' | 'wrappedKey'>> {
    const { keyId, wrapped } = await this.keys.wrap(dataKey, context);
    return { keyId, wrappedKey: wrapped };
  }
}

/** Additional data of both layers. A JSON array, so that no two locations print alike. */
const contextOf = ({ id, workspaceId, provider }: CredentialContext): string =>
  JSON.stringify([id, workspaceId, provider]);
