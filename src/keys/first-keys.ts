import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountDirectory, type Home } from '../accounts/account-directory.js';
import type { KeyKind } from '../core/caller.js';
import { hashKey, newApiKey } from '../core/ids.js';
import type { Secret } from '../core/secret.js';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { newKeyRow, plainKey } from './new-key.js';

/** Keys made at this start and nowhere written: to be shown once. */
export interface GeneratedKeys {
  readonly managementKey?: string;
  readonly apiKey?: string;
}

// Any number, as long as no other lock of the schema has it. Held to the transaction's end, so it works behind pooling.
const FIRST_KEYS_LOCK = 4_721_002;

const VARIABLES: Readonly<Record<KeyKind, string>> = {
  management: 'FAIRLEAD_MANAGEMENT_KEY',
  inference: 'FAIRLEAD_API_KEY',
};

/** Sees to it that there is someone who can call: the keys named by variables, or else first keys of its own. */
@Injectable()
export class FirstKeys {
  private readonly logger = new Logger('keys');

  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountDirectory,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /**
   * To be called once at each start. Keys named by variables are stored if absent; a kind without variable gets a generated
   * key if the store never had one. Of replicas that start together, one makes the keys and gets them as its answer.
   * @throws Error when a variable names a key that is stored as the other kind
   */
  async ensure(): Promise<GeneratedKeys> {
    const home = await this.accounts.ensureDefault();
    // Under a stricter level the snapshot would be older than the wait for the lock.
    return this.database.transaction('READ COMMITTED', async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [FIRST_KEYS_LOCK]);
      const managementKey = await this.ensureKind(manager, home, 'management', this.environment.managementKey);
      const apiKey = await this.ensureKind(manager, home, 'inference', this.environment.apiKey);
      return { ...(managementKey !== undefined && { managementKey }), ...(apiKey !== undefined && { apiKey }) };
    });
  }

  private async ensureKind(
    manager: EntityManager,
    home: Home,
    kind: KeyKind,
    named: Secret | undefined,
  ): Promise<string | undefined> {
    if (named) {
      await this.ensureNamed(manager, home, kind, named.reveal());
      return undefined;
    }
    if (await manager.existsBy(ApiKeyEntity, { accountId: home.accountId, kind })) return undefined;
    const key = newApiKey();
    await this.insert(manager, home, key, `First ${kind} key`, kind);
    return key;
  }

  private async ensureNamed(manager: EntityManager, home: Home, kind: KeyKind, key: string): Promise<void> {
    const variable = VARIABLES[kind];
    const stored = await manager.findOneBy(ApiKeyEntity, { hash: hashKey(key) });
    if (!stored) return this.insert(manager, home, key, variable, kind);
    if (stored.kind !== kind) throw new Error(`${variable}: this key is already stored as the ${stored.kind} kind`);
    // Making it anew would undo a revocation at the next restart.
    if (stored.deletedAt)
      this.logger.warn(`${variable} names a key that was deleted; it stays deleted. Choose another.`);
  }

  private async insert(manager: EntityManager, home: Home, key: string, name: string, kind: KeyKind): Promise<void> {
    await manager.insert(ApiKeyEntity, newKeyRow(key, home, plainKey(name, kind), new Date(this.clock.now())));
  }
}
