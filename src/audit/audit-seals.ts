import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { DataKeys, type StoredDataKey } from '../vault/data-keys.js';
import { KeyRing } from '../vault/key-ring.js';
import { Sealer } from './audit-seal.js';

/** The key to seal with is not in memory: call `prepare`, outside of any transaction, and begin again. */
export class SealKeyNeeded extends Error {
  override readonly name = 'SealKeyNeeded';
}

/**
 * The data keys that entries of the audit log are sealed under. An unwrapped one stays in memory until the process
 * ends, so that changes work while a key service is down: it only seals, and opens nothing.
 */
@Injectable()
export class AuditSeals implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('audit');
  private readonly sealers: KeyRing<Sealer>;
  private warming: Promise<void> | undefined;

  constructor(keys: DataKeys) {
    this.sealers = new KeyRing(
      keys,
      {
        purpose: 'audit-seal',
        logger: this.logger,
        lost: 'No key of the audit log opens with the encryption keys of this process: entries are sealed under a new one.',
        stuck: 'A change cannot be sealed: the key service does not answer.',
        unavailable: 'The change cannot be recorded at the moment; try again shortly.',
      },
      (id, key) => new Sealer(id, key),
    );
  }

  /** The start does not wait for it. */
  onApplicationBootstrap(): void {
    this.warming = this.sealers.openNewest().then(
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
   * The newest key that can be opened here, as the transaction sees it: a key that another process made is used from
   * its commit on. Calls only the store.
   * @throws SealKeyNeeded
   */
  async current(manager: EntityManager): Promise<Sealer> {
    const stored = await this.sealers.list(manager);
    this.forgetGone(stored);
    const sealer = this.sealers.newestOf(stored);
    if (!sealer) throw new SealKeyNeeded();
    return sealer;
  }

  /**
   * Makes sure that `current` finds a key: opens the newest that these encryption keys open, and makes one where there
   * is none.
   * @throws GatewayError `service-unavailable` when the key service does not answer
   */
  async prepare(): Promise<void> {
    await this.sealers.prepare();
  }

  /** The gateway removes no key that was in use, only an owner of the database can. Verification reports the effect. */
  private forgetGone(stored: readonly StoredDataKey[]): void {
    for (const id of [...this.sealers.ids()]) {
      if (stored.some((key) => key.id === id)) continue;
      this.sealers.forget(id);
      this.logger.error(
        `The key ${id} of the audit log is missing from the store: what was sealed under it can no longer be checked.`,
      );
    }
  }
}
