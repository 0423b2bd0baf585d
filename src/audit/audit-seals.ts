import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { GatewayError } from '../core/errors.js';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { DataKeys, type StoredDataKey } from '../vault/data-keys.js';
import { KeyServiceUnavailable, Undecryptable } from '../vault/key-service.js';
import { Sealer } from './audit-seal.js';

/** Times that a key is made before it is given up: each beyond the first is one that another process made meanwhile. */
const ROUNDS_MAX = 3;
/** Told where the key service does not answer. */
const KEY_SERVICE_RETRY_AFTER_MS = 1_000;

/** The key to seal with is not in memory: `prepare`, outside of any transaction, and begin again. */
export class SealKeyNeeded extends Error {
  override readonly name = 'SealKeyNeeded';
}

/**
 * The data keys that entries of the audit log are sealed under. One that was unwrapped stays in memory until the
 * process ends, so that changes go on while a key service is down: it seals, and opens nothing.
 */
@Injectable()
export class AuditSeals implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('audit');
  private readonly sealers = new Map<string, Sealer>();
  /** Ids of keys that the encryption keys of this process do not open. */
  private readonly foreign = new Set<string>();
  private warming: Promise<void> | undefined;

  constructor(private readonly keys: DataKeys) {}

  /** The start does not wait for it. */
  onApplicationBootstrap(): void {
    this.warming = this.open().then(
      () => undefined,
      (error: unknown) => {
        if (!isDatabaseUnavailable(error)) this.logger.warn('The key of the audit log cannot be read yet.', error);
      },
    );
  }

  /** The store is closed only after this. */
  async onModuleDestroy(): Promise<void> {
    await this.warming;
  }

  /**
   * The newest that can be opened here, as the transaction finds it: a key that another process made is used from its
   * commit on. Asks nobody but the store.
   * @throws SealKeyNeeded
   */
  async current(manager: EntityManager): Promise<Sealer> {
    const stored = await this.keys.list('audit-seal', manager);
    this.forgetGone(stored);
    for (const { id } of stored) {
      const sealer = this.sealers.get(id);
      if (sealer) return sealer;
      if (!this.foreign.has(id)) break;
    }
    throw new SealKeyNeeded();
  }

  /**
   * Has `current` find a key: opens the newest that these encryption keys open, and makes one where there is none.
   * @throws GatewayError `unavailable` when the key service does not answer
   */
  async prepare(): Promise<void> {
    try {
      for (let round = 1; round <= ROUNDS_MAX; round++) {
        const newest = await this.open();
        if (newest === 'opened') return;
        if (newest > 0)
          this.logger.error(
            'No key of the audit log opens with the encryption keys of this process: entries are sealed under a new one.',
          );
        await this.keys.create('audit-seal', newest + 1);
      }
      throw new KeyServiceUnavailable('Other processes make keys that do not open here.');
    } catch (cause) {
      if (!(cause instanceof KeyServiceUnavailable)) throw cause;
      this.logger.warn('A change cannot be sealed: the key service does not answer.', cause);
      const message = 'The change cannot be recorded at the moment; try again shortly.';
      throw new GatewayError('unavailable', message, { retryAfterMs: KEY_SERVICE_RETRY_AFTER_MS }, { cause });
    }
  }

  /** Nothing removes a key that was in use: whoever did owns the database. Verification tells what it is missed for. */
  private forgetGone(stored: readonly StoredDataKey[]): void {
    for (const id of this.sealers.keys()) {
      if (stored.some((key) => key.id === id)) continue;
      this.sealers.delete(id);
      this.logger.error(
        `The key ${id} of the audit log is gone from the store: what was sealed under it can no longer be checked.`,
      );
    }
  }

  /**
   * Opens the newest key that opens here.
   * @returns the highest number, 0 where there is no key, where none opens
   */
  private async open(): Promise<'opened' | number> {
    const stored = await this.keys.list('audit-seal');
    for (const key of stored) if (await this.isOpen(key)) return 'opened';
    return stored[0]?.number ?? 0;
  }

  private async isOpen(stored: StoredDataKey): Promise<boolean> {
    if (this.sealers.has(stored.id)) return true;
    try {
      this.sealers.set(stored.id, new Sealer(stored.id, await this.keys.unwrap(stored)));
      this.foreign.delete(stored.id);
      return true;
    } catch (error) {
      if (!(error instanceof Undecryptable)) throw error;
      this.foreign.add(stored.id);
      return false;
    }
  }
}
