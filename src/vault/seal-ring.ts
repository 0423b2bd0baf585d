import { createHmac } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { SEAL_PREFIX } from '../core/conversation/reasoning-mark.js';
import { DataKeys } from './data-keys.js';
import { Undecryptable } from './key-service.js';
import { KeyRing, type KeyRingUse } from './key-ring.js';
import { open, seal } from './sealed-box.js';

const KEY_ID_LENGTH = 36;
const BYTES_AT = SEAL_PREFIX.length + KEY_ID_LENGTH + 1;
const HASH_CONTEXT = 'keyed hash';

/** Bytes sealed under one of the keys: nonce, tag and ciphertext, with the id of the key. */
export interface SealedBytes {
  readonly keyId: string;
  readonly sealed: Buffer;
}

/** One data key. */
class BoxKey {
  /** Private to the runtime too, so that no inspection prints it. */
  readonly #key: Buffer;
  /** A key derived from it, because none is used by two algorithms. */
  readonly #hashKey: Buffer;

  constructor(
    readonly id: string,
    key: Buffer,
  ) {
    this.#key = key;
    this.#hashKey = createHmac('sha256', key).update(HASH_CONTEXT).digest();
  }

  seal(plain: Buffer, context: string): Buffer {
    return seal(plain, this.#key, context);
  }

  /** @throws Undecryptable */
  open(sealed: Buffer, context: string): Buffer {
    return open(sealed, this.#key, context);
  }

  hash(text: string): string {
    return createHmac('sha256', this.#hashKey).update(text).digest('hex');
  }
}

/** The keys for data that the gateway's tools give out or store. */
const FOR_TOOLS: KeyRingUse = {
  purpose: 'tool-seal',
  logger: new Logger('tools'),
  lost: 'No key that seals for tools opens with the encryption keys of this process: what was sealed counts as expired here.',
  stuck: 'Nothing can be sealed for tools: the key service does not answer.',
  unavailable: 'What the tools of this request keep cannot be read or kept at the moment; try again shortly.',
};

/** The keys for the configurations of destinations. */
const FOR_DESTINATIONS: KeyRingUse = {
  purpose: 'destination-seal',
  logger: new Logger('destinations'),
  lost: 'No key that seals destinations opens with the encryption keys of this process: nothing is sent to those that exist.',
  stuck: 'No destination can be sealed or opened: the key service does not answer.',
  unavailable: 'Destinations cannot be read or kept at the moment; try again shortly.',
};

/** Texts for kept replies. */
const FOR_REPLIES: KeyRingUse = {
  purpose: 'reply-seal',
  logger: new Logger('kept-replies'),
  lost: 'No key that seals replies opens with the encryption keys of this process: replies kept so far are not replayed here.',
  stuck: 'No reply can be kept or replayed: the key service does not answer.',
  unavailable: 'Replies cannot be kept or read at the moment; try again shortly.',
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
   * Must be awaited before anything is sealed: immediate except for the first time in a process. If it failed, the next
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

  /**
   * Hashes a text under the newest key: the hash alone does not confirm a guess of the text.
   * @returns the id of the key, a colon, and an HMAC-SHA-256 in hex
   */
  keyedHash(text: string): string {
    if (!this.newest) throw new Error('Hashed before it was ready.');
    return hashBy(this.newest, text);
  }

  /**
   * Whether `keyedHash` made the hash of this text, under whichever key.
   * @returns undefined where that key does not open here
   * @throws GatewayError `service-unavailable` when the key service does not answer
   */
  async isHashOf(text: string, hash: string): Promise<boolean | undefined> {
    const keyId = hash.slice(0, KEY_ID_LENGTH);
    await this.prepareKeys([keyId]);
    const key = this.ring.find(keyId);
    return key && hashBy(key, text) === hash;
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

  /** As `prepareToOpen`, by the keys of `SealedBytes`. */
  async prepareKeys(keyIds: Iterable<string>): Promise<void> {
    await this.ring.openThese(new Set(keyIds));
  }

  private async prepare(): Promise<void> {
    this.newest = await this.ring.prepare();
  }
}

/** Seals the configurations of destinations. */
export class DestinationSeals extends SealRing {
  constructor(keys: DataKeys) {
    super(keys, FOR_DESTINATIONS);
  }
}

/** Seals kept replies. */
export class ReplySeals extends SealRing {
  constructor(keys: DataKeys) {
    super(keys, FOR_REPLIES);
  }
}

const hashBy = (key: BoxKey, text: string): string => `${key.id}:${key.hash(text)}`;

function keyIdOf(sealed: string): string | undefined {
  const isOurs = sealed.startsWith(SEAL_PREFIX) && sealed[BYTES_AT - 1] === '.';
  return isOurs ? sealed.slice(SEAL_PREFIX.length, BYTES_AT - 1) : undefined;
}
