import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import { GatewayError } from '../core/errors.js';
import type { DataKeyPurpose, DataKeys, StoredDataKey } from './data-keys.js';
import { KeyServiceUnavailable, Undecryptable } from './key-service.js';

/** Tries to make a key: each beyond the first means that another process made one meanwhile. */
const ROUNDS_MAX = 3;
/**
 * How long a key that does not exist or cannot be decrypted is not tried again; what needs it fails at once. Chosen.
 */
const LEFT_ALONE_MS = 60_000;
/** Unknown ids that are remembered: callers may make them up. Chosen. */
const UNKNOWN_MAX = 1_000;
/** Sent as `Retry-After` where the key service does not answer. */
export const KEY_SERVICE_RETRY_AFTER_MS = 1_000;

/** The purpose of a ring, and its messages. Nothing secret. */
export interface KeyRingUse {
  readonly purpose: DataKeyPurpose;
  readonly logger: Logger;
  /** Logged where there are keys and none opens here: work continues under a new one. */
  readonly lost: string;
  /** Logged where the key service does not answer. */
  readonly stuck: string;
  /** The error message for the caller meanwhile. */
  readonly unavailable: string;
}

/**
 * The gateway's own data keys of one purpose that this process has opened: they stay in memory until it ends, so that
 * work continues while a key service is down.
 */
export class KeyRing<Key extends object> {
  private readonly opened = new Map<string, Key>();
  /** When a key that the encryption keys of this process do not open was last tried, by id. */
  private readonly foreign = new Map<string, number>();
  /** Presented ids that are not stored. */
  private readonly unknown: LRUCache<string, true>;

  constructor(
    private readonly keys: DataKeys,
    private readonly use: KeyRingUse,
    /** Makes the key object, which should keep the bytes private. */
    private readonly make: (id: string, bytes: Buffer) => Key,
    /** A monotonic clock, in milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.unknown = new LRUCache({ max: UNKNOWN_MAX, ttl: LEFT_ALONE_MS, ttlResolution: 0, perf: { now } });
  }

  /** The stored keys, newest first. */
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
   * The newest of the listed keys that can be opened here, if it is opened already. Makes no call.
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
   * Opens the newest key that these encryption keys open, and makes one where there is none.
   * @throws GatewayError `service-unavailable` when the key service does not answer
   */
  async prepare(): Promise<Key> {
    return this.reportingOutage(async () => {
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
   * Opens the keys of these ids that are stored and that these encryption keys open. One that did not open, or was not
   * stored, is not tried again for a while.
   * @throws GatewayError `service-unavailable` when the key service does not answer
   */
  async openThese(ids: ReadonlySet<string>): Promise<void> {
    const missing = new Set([...ids].filter((id) => !this.opened.has(id) && !this.isLeftAlone(id)));
    if (missing.size === 0) return;
    await this.reportingOutage(async () => {
      for (const stored of await this.list()) if (missing.delete(stored.id)) await this.openAgain(stored);
      for (const id of missing) this.unknown.set(id, true);
    });
  }

  /**
   * Opens the newest key that opens here.
   * @returns the highest number, or 0 without any key, where none opens
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

  private isLeftAlone(id: string): boolean {
    const triedAt = this.foreign.get(id);
    return triedAt === undefined ? this.unknown.has(id) : this.now() - triedAt < LEFT_ALONE_MS;
  }

  /**
   * @throws KeyServiceUnavailable for one that has not been tried before: the others count as absent until they open
   */
  private async openAgain(stored: StoredDataKey): Promise<void> {
    try {
      await this.open(stored);
    } catch (error) {
      if (!(error instanceof KeyServiceUnavailable && this.foreign.has(stored.id))) throw error;
      this.foreign.set(stored.id, this.now());
    }
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
      this.foreign.set(stored.id, this.now());
      return undefined;
    }
  }

  private async reportingOutage<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof KeyServiceUnavailable)) throw cause;
      const { logger, stuck, unavailable } = this.use;
      logger.warn(stuck, cause);
      throw new GatewayError(
        'service-unavailable',
        unavailable,
        { retryAfterMs: KEY_SERVICE_RETRY_AFTER_MS },
        { cause },
      );
    }
  }
}
