import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { DefaultWorkspace } from '../accounts/account-directory.js';
import { operatorOf } from '../audit/audit-log.js';
import { ManagedChanges } from '../management/managed-changes.js';
import type { KeyKind } from '../core/caller.js';
import { hashKey, newApiKey } from '../core/ids.js';
import type { Secret } from '../core/secret.js';
import { Clock } from '../core/time.js';
import { AccountOpening } from '../ledger/account-opening.js';
import { waitForLock } from '../shared/database/advisory-locks.js';
import { Environment, InvalidEnvironment } from '../shared/environment.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { KeysRepository } from './keys.repository.js';
import { API_KEY } from './managed-key.js';
import { newKeyRow, plainKey } from './new-key.js';

/** Keys made at this start and stored nowhere in clear: to be shown once. */
export interface GeneratedKeys {
  readonly managementKey?: string;
  readonly apiKey?: string;
}

interface MadeKey {
  readonly row: ApiKeyEntity;
  /** The key itself, where no variable gave it. */
  readonly generated?: string;
}

const VARIABLES: Readonly<Record<KeyKind, string>> = {
  management: 'FAIRLEAD_MANAGEMENT_KEY',
  inference: 'FAIRLEAD_API_KEY',
};

/** Makes sure that there is a usable key of each kind: those given by variables, or else generated ones. */
@Injectable()
export class FirstKeys {
  private readonly logger = new Logger('keys');

  constructor(
    private readonly changes: ManagedChanges,
    private readonly accounts: AccountOpening,
    private readonly keys: KeysRepository,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /**
   * To be called once at each start. Keys given by variables are stored if absent; a kind without variable gets a
   * generated key if the store never had one. Of replicas that start together, one makes the keys and returns them.
   * @throws Error when a variable gives a key that is stored as the other kind
   */
  async ensure(): Promise<GeneratedKeys> {
    const home = await this.accounts.ensureDefault();
    return this.changes.run(operatorOf(home.accountId), async (manager) => {
      await waitForLock(manager, 'firstKeys');
      const management = await this.ensureKind(manager, home, 'management', this.environment.managementKey);
      const inference = await this.ensureKind(manager, home, 'inference', this.environment.apiKey);
      const made = [management, inference].filter((key) => key !== undefined);
      const generated: GeneratedKeys = {
        ...(management?.generated !== undefined && { managementKey: management.generated }),
        ...(inference?.generated !== undefined && { apiKey: inference.generated }),
      };
      return { result: generated, entries: made.map(({ row }) => API_KEY.created(row)) };
    });
  }

  /** @returns undefined where there is one already */
  private async ensureKind(
    manager: EntityManager,
    home: DefaultWorkspace,
    kind: KeyKind,
    named: Secret | undefined,
  ): Promise<MadeKey | undefined> {
    if (named) return this.ensureNamed(manager, home, kind, named.reveal());
    if (await manager.existsBy(ApiKeyEntity, { accountId: home.accountId, kind })) return undefined;
    const generated = newApiKey();
    return { row: await this.insert(manager, home, generated, `First ${kind} key`, kind), generated };
  }

  private async ensureNamed(
    manager: EntityManager,
    home: DefaultWorkspace,
    kind: KeyKind,
    key: string,
  ): Promise<MadeKey | undefined> {
    const variable = VARIABLES[kind];
    const hash = hashKey(key);
    const secret = await this.keys.findSecret(manager, hash);
    const stored = await manager.findOneBy(ApiKeyEntity, { hash: secret?.keyHash ?? hash });
    if (!stored) return { row: await this.insert(manager, home, key, variable, kind) };
    if (stored.kind !== kind)
      throw new InvalidEnvironment([
        { variable, reason: `names a key that is stored already, of the ${stored.kind} kind` },
      ]);
    // Creating it again would undo a revocation at the next restart.
    if (stored.deletedAt)
      this.logger.warn(`${variable} names a key that was deleted; it stays deleted. Choose another.`);
    else if (secret?.endsAt) this.logger.warn(wasRotated(variable, secret.endsAt));
    else if (stored.isWorkspaceBound)
      this.logger.warn(`${variable} names a key that is bound to a workspace, and stays so. Choose another.`);
    return undefined;
  }

  private async insert(
    manager: EntityManager,
    home: DefaultWorkspace,
    key: string,
    name: string,
    kind: KeyKind,
  ): Promise<ApiKeyEntity> {
    const owner = { ...home, isWorkspaceBound: false };
    return this.keys.insert(manager, newKeyRow(key, owner, plainKey(name, kind), new Date(this.clock.now())));
  }
}

/** Creating it again would undo the rotation at the next restart, as another key without its limits. */
const wasRotated = (variable: string, endsAt: Date): string =>
  `${variable} names a secret of a key that was rotated since: its time ends, or ended, at ${endsAt.toISOString()}. ` +
  'It is not created again: set the variable to the latest secret.';
