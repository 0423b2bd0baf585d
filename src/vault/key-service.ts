/** A data key as it is stored: wrapped by the key-encryption key of id `keyId`. */
export interface WrappedKey {
  readonly keyId: string;
  readonly wrapped: Buffer;
}

/**
 * The port to the owner of the key-encryption keys: the process itself, or an external service. The context is
 * authenticated with each data key: another context does not unwrap it.
 */
export abstract class KeyService {
  /** Id of the key that wraps from now on. */
  abstract readonly currentKeyId: string;
  /** @throws KeyServiceUnavailable */
  abstract wrap(dataKey: Buffer, context: string): Promise<WrappedKey>;
  /** @throws Undecryptable, KeyServiceUnavailable */
  abstract unwrap(key: WrappedKey, context: string): Promise<Buffer>;

  /** Whether it has the key of this id. Makes no call. */
  unwraps(keyId: string): boolean {
    return keyId === this.currentKeyId;
  }
}

/** The key is unknown here, or the stored bytes have changed. The message contains nothing of either. */
export class Undecryptable extends Error {
  override readonly name = 'Undecryptable';
}

/** An external key service does not answer, or refuses this process: it may well be temporary. */
export class KeyServiceUnavailable extends Error {
  override readonly name = 'KeyServiceUnavailable';
}

export const unknownKey = (keyId: string): Undecryptable =>
  new Undecryptable(`The encryption key ${JSON.stringify(keyId)} is not among those of this process.`);
