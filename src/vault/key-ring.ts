import { Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { GatewayError } from '../core/errors.js';
import type { DataKeyPurpose, DataKeys, StoredDataKey } from './data-keys.js';
import { KeyServiceUnavailable, Undecryptable } from './key-service.js';

/** Times that a key is made before it is given up: each beyond the first is one that another process made meanwhile. */
const ROUNDS_MAX = 3;
/** Told where the key service does not answer. */
const KEY_SERVICE_RETRY_AFTER_MS = 1_000;

/** What a ring is for, and what it says. Nothing secret. */
export interface KeyRingUse {
  readonly purpose: DataKeyPurpose;
  readonly logger: Logger;
  /** Logged where there are keys and none opens here: what goes on under a new one. */
  readonly lost: string;
  /** Logged where the key service does not answer. */
  readonly stuck: string;
  /** The caller is told, meanwhile. */
  readonly unavailable: string;
}

/**
 * The gateway's own data keys of one purpose, as far as this process has opened them: they stay in memory until it
 * ends, so that work goes on while a key service is down.
 */
export class KeyRing<Key extends object> {
  private readonly opened = new Map<string, Key>();
  /** Ids of keys that the encryption keys of this process do not open. */
  private readonly foreign = new Set<string>();

  /** @param make what a key works by; its bytes should be private to it */
  constructor(
    private readonly keys: DataKeys,
    private readonly use: KeyRingUse,
    private readonly make: (id: string, bytes: Buffer) => Key,
  ) {}

  /** Those that are stored, newest first. */
  list(manager?: EntityManager): Promise<StoredDataKey[]> {
    return this.keys.list(this.use.purpose, manager);
  }

  /** Ids of the opened ones. */
  ids(): Iterable<string> {
    return this.opened.keys();
  }

  find(id: string): Key | undefined {
    return this.opened.get(id);
  }

  forget(id: string): void {
    this.opened.delete(id);
  }

  /**
   * The newest of those listed that can be opened here, if it is opened. Asks nobody.
   * @returns undefined where a newer one has not been tried yet, or none opens
   */
  newestOf(stored: readonly StoredDataKey[]): Key | undefined {
    for (const { id } of stored) {
      const key = this.opened.get(id);
      if (key) return key;
      if (!this.foreign.has(id)) break;
    }
    return undefined;
  }

  /**
   * Opens the newest that these encryption keys open, and makes one where there is none.
   * @throws GatewayError `unavailable` when the key service does not answer
   */
  async prepare(): Promise<Key> {
    return this.asking(async () => {
      for (let round = 1; round <= ROUNDS_MAX; round++) {
        const newest = await this.openNewest();
        if (typeof newest !== 'number') return newest;
        if (newest > 0) this.use.logger.error(this.use.lost);
        await this.keys.create(this.use.purpose, newest + 1);
      }
      throw new KeyServiceUnavailable('Other processes make keys that do not open here.');
    });
  }

  /**
   * Opens those of these ids that are stored and that these encryption keys open.
   * @throws GatewayError `unavailable` when the key service does not answer
   */
  async openThese(ids: ReadonlySet<string>): Promise<void> {
    const missing = new Set([...ids].filter((id) => !this.opened.has(id)));
    if (missing.size === 0) return;
    await this.asking(async () => {
      for (const stored of await this.list()) if (missing.has(stored.id)) await this.open(stored);
    });
  }

  /**
   * Opens the newest key that opens here.
   * @returns the highest number, 0 where there is no key, where none opens
   * @throws KeyServiceUnavailable
   */
  async openNewest(): Promise<Key | number> {
    const listed = await this.list();
    for (const stored of listed) {
      const key = await this.open(stored);
      if (key) return key;
    }
    return listed[0]?.number ?? 0;
  }

  /** @throws KeyServiceUnavailable */
  private async open(stored: StoredDataKey): Promise<Key | undefined> {
    const known = this.opened.get(stored.id);
    if (known) return known;
    try {
      const key = this.make(stored.id, await this.keys.unwrap(stored));
      this.opened.set(stored.id, key);
      this.foreign.delete(stored.id);
      return key;
    } catch (error) {
      if (!(error instanceof Undecryptable)) throw error;
      this.foreign.add(stored.id);
      return undefined;
    }
  }

  private async asking<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof KeyServiceUnavailable)) throw cause;
      const { logger, stuck, unavailable } = this.use;
      logger.warn(stuck, cause);
      throw new GatewayError('unavailable', unavailable, { retryAfterMs: KEY_SERVICE_RETRY_AFTER_MS }, { cause });
    }
  }
}
