import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { newUuid } from '../core/ids.js';
import { Clock } from '../core/time.js';
import { KeyService, Undecryptable } from './key-service.js';
import { KEY_BYTES } from './sealed-box.js';

/** Purposes of the gateway's own keys, with texts for operators: a key serves one purpose only. */
export const DATA_KEY_PURPOSES = {
  'audit-seal': 'seals the audit log',
  'tool-seal': 'seals what tools keep',
  'destination-seal': 'seals destinations of events',
  'reply-seal': 'seals kept replies',
} as const;
export type DataKeyPurpose = keyof typeof DATA_KEY_PURPOSES;

/** A data key as it is stored. */
export interface StoredDataKey {
  readonly id: string;
  readonly purpose: DataKeyPurpose;
  /** Rises from 1: the highest of a purpose is in use. */
  readonly number: number;
  readonly keyId: string;
  readonly wrappedKey: Buffer;
}

export interface DataKeyRotation {
  readonly signal?: AbortSignal | undefined;
  /** Called after each key that is now under the current one. */
  readonly onRewrapped: () => void;
  readonly onUnreadable: (key: StoredDataKey, reason: string) => void;
}

/**
 * The gateway's own data keys, one row each, wrapped by the key-encryption key like those of credentials. Nothing is
 * cached here. Safe to share.
 */
@Injectable()
export class DataKeys {
  constructor(
    private readonly database: DataSource,
    private readonly keys: KeyService,
    private readonly clock: Clock,
  ) {}

  /** Keys of one purpose, newest first. */
  async list(purpose: DataKeyPurpose, manager: EntityManager = this.database.manager): Promise<StoredDataKey[]> {
    const rows = await manager.query<StoredDataKey[]>(
      `SELECT id, purpose, number, key_id AS "keyId", wrapped_key AS "wrappedKey"
       FROM data_keys WHERE purpose = $1 ORDER BY number DESC`,
      [purpose],
    );
    return rows.map((row) => ({ ...row, wrappedKey: Buffer.from(row.wrappedKey) }));
  }

  /** @throws Undecryptable, KeyServiceUnavailable */
  async unwrap(stored: StoredDataKey): Promise<Buffer> {
    const key = await this.keys.unwrap({ keyId: stored.keyId, wrapped: stored.wrappedKey }, contextOf(stored));
    // External services assert it themselves.
    if (key.length !== KEY_BYTES) throw new Undecryptable('The stored bytes are not those of a data key.');
    return key;
  }

  /**
   * Makes a key, unless another process has made the one of that number meanwhile: callers list the keys again
   * afterwards.
   * @throws KeyServiceUnavailable
   */
  async create(purpose: DataKeyPurpose, number: number): Promise<void> {
    const now = this.clock.now();
    const id = newUuid(now);
    const { keyId, wrapped } = await this.keys.wrap(randomBytes(KEY_BYTES), contextOf({ purpose, id }));
    await this.database.query(
      `INSERT INTO data_keys (id, purpose, number, key_id, wrapped_key, created_at) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (purpose, number) DO NOTHING`,
      [id, purpose, number, keyId, wrapped, new Date(now)],
    );
  }

  /**
   * Wraps every key by the current key-encryption key; the data keys themselves do not change. It may be repeated and
   * run concurrently.
   * @returns how many are left under other keys
   * @throws KeyServiceUnavailable
   */
  async rewrapAll(purpose: DataKeyPurpose, { signal, onRewrapped, onUnreadable }: DataKeyRotation): Promise<number> {
    const isLeft = ({ keyId }: StoredDataKey): boolean => keyId !== this.keys.currentKeyId;
    for (const stored of (await this.list(purpose)).filter(isLeft)) {
      signal?.throwIfAborted();
      try {
        if (await this.rewrap(stored)) onRewrapped();
      } catch (error) {
        if (!(error instanceof Undecryptable)) throw error;
        onUnreadable(stored, error.message);
      }
    }
    return (await this.list(purpose)).filter(isLeft).length;
  }

  /** @returns false when another process has changed the row meanwhile */
  private async rewrap(stored: StoredDataKey): Promise<boolean> {
    const { keyId, wrapped } = await this.keys.wrap(await this.unwrap(stored), contextOf(stored));
    const [, changed]: [unknown, number] = await this.database.query(
      `UPDATE data_keys SET key_id = $1, wrapped_key = $2 WHERE id = $3 AND key_id = $4 AND wrapped_key = $5`,
      [keyId, wrapped, stored.id, stored.keyId, stored.wrappedKey],
    );
    return changed === 1;
  }
}

/** Additional data of the wrapping. Distinct from every credential's context: these begin with an id. */
const contextOf = ({ purpose, id }: Pick<StoredDataKey, 'purpose' | 'id'>): string =>
  JSON.stringify(['data-key', purpose, id]);
