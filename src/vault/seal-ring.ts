import { Logger } from '@nestjs/common';
import { SEAL_PREFIX } from '../core/conversation/reasoning-mark.js';
import { DataKeys } from './data-keys.js';
import { Undecryptable } from './key-service.js';
import { KeyRing, type KeyRingUse } from './key-ring.js';
import { open, seal } from './sealed-box.js';

const KEY_ID_LENGTH = 36;
const BYTES_AT = SEAL_PREFIX.length + KEY_ID_LENGTH + 1;

/** Bytes sealed under one of the keys: nonce, tag and ciphertext, with the id of the key. */
export interface SealedBytes {
  readonly keyId: string;
  readonly sealed: Buffer;
}

/** One data key. */
class BoxKey {
  /** Private to the runtime too, so that no inspection prints it. */
  readonly #key: Buffer;

  constructor(
    readonly id: string,
    key: Buffer,
  ) {
    this.#key = key;
  }

  seal(plain: Buffer, context: string): Buffer {
    return seal(plain, this.#key, context);
  }

  /** @throws Undecryptable */
  open(sealed: Buffer, context: string): Buffer {
    return open(sealed, this.#key, context);
  }
}

/** What tools of the gateway give out or store. */
const FOR_TOOLS: KeyRingUse = {
  purpose: 'tool-seal',
  logger: new Logger('tools'),
  lost: 'No key that seals for tools opens with the encryption keys of this process: what was sealed counts as expired here.',
  stuck: 'Nothing can be sealed for tools: the key service does not answer.',
  unavailable: 'What the tools of this request keep cannot be read or kept at the moment; try again shortly.',
};

/** How destinations of events are called. */
const FOR_DESTINATIONS: KeyRingUse = {
  purpose: 'destination-seal',
  logger: new Logger('destinations'),
  lost: 'No key that seals destinations opens with the encryption keys of this process: nothing is sent to those that exist.',
  stuck: 'No destination can be sealed or opened: the key service does not answer.',
  unavailable: 'Destinations cannot be read or kept at the moment; try again shortly.',
};

/**
 * Seals for one purpose of the gateway, synchronously: AES-256-GCM under a data key of the gateway that stays in
 * memory. Sealed bytes open on every replica, but only in their context: a text that names their kind and owner. Safe
 * to share. Tools use this class, others a subclass.
 */
export class SealRing {
  private readonly ring: KeyRing<BoxKey>;
  private newest: BoxKey | undefined;
  private preparing: Promise<void> | undefined;

  constructor(keys: DataKeys, use: KeyRingUse = FOR_TOOLS) {
    this.ring = new KeyRing(keys, use, (id, key) => new BoxKey(id, key));
  }

  /**
   * To be awaited before anything is sealed: immediate except for the first time in a process. If it failed, the next
   * call tries again.
   * @throws GatewayError `service-unavailable` when the key service does not answer
   */
  async ready(): Promise<void> {
    if (this.newest) return;
    this.preparing ??= this.prepare().finally(() => (this.preparing = undefined));
    await this.preparing;
  }

  /** @returns printable: letters, digits, `.`, `-` and `_`, a third longer than the bytes and 79 more */
  seal(plain: Buffer, context: string): string {
    const { keyId, sealed } = this.sealBytes(plain, context);
    return `${SEAL_PREFIX}${keyId}.${sealed.toString('base64url')}`;
  }

  /** @returns undefined for foreign or changed texts, those of another context, and those whose key is not cached */
  open(sealed: string, context: string): Buffer | undefined {
    const keyId = keyIdOf(sealed);
    const text = sealed.slice(BYTES_AT);
    const bytes = Buffer.from(text, 'base64url');
    // The decoder ignores characters outside of base64: one text only, not several, may stand for the bytes.
    if (keyId === undefined || bytes.toString('base64url') !== text) return undefined;
    return this.openBytes({ keyId, sealed: bytes }, context);
  }

  sealBytes(plain: Buffer, context: string): SealedBytes {
    if (!this.newest) throw new Error('Sealed before it was ready.');
    return { keyId: this.newest.id, sealed: this.newest.seal(plain, context) };
  }

  /** @returns undefined as `open` */
  openBytes({ keyId, sealed }: SealedBytes, context: string): Buffer | undefined {
    try {
      return this.ring.find(keyId)?.open(sealed, context);
    } catch (error) {
      if (error instanceof Undecryptable) return undefined;
      throw error;
    }
  }

  /**
   * Loads the keys of these texts, as far as they exist: to be awaited before they are opened. Calls the store only for
   * a key that this process has not opened.
   * @param sealed texts that `seal` may have returned
   * @throws GatewayError `service-unavailable` when the key service does not answer
   */
  async prepareToOpen(sealed: Iterable<string>): Promise<void> {
    const keyIds = [...sealed].map(keyIdOf).filter((id) => id !== undefined);
    await this.prepareKeys(keyIds);
  }

  /** The same for the keys of `SealedBytes`. */
  async prepareKeys(keyIds: Iterable<string>): Promise<void> {
    await this.ring.openThese(new Set(keyIds));
  }

  private async prepare(): Promise<void> {
    this.newest = await this.ring.prepare();
  }
}

/** The same for destinations of events. */
export class DestinationSeals extends SealRing {
  constructor(keys: DataKeys) {
    super(keys, FOR_DESTINATIONS);
  }
}

function keyIdOf(sealed: string): string | undefined {
  const isOurs = sealed.startsWith(SEAL_PREFIX) && sealed[BYTES_AT - 1] === '.';
  return isOurs ? sealed.slice(SEAL_PREFIX.length, BYTES_AT - 1) : undefined;
}
