import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import { operatorOf } from '../audit/audit-log.js';
import { wholeAccount, type Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import type { JsonObject } from '../core/json/json.js';
import { KeysService } from '../keys/keys.service.js';
import { ManagedChanges, type ManagedChange } from '../management/managed-changes.js';
import { ManagedKind } from '../management/managed-kind.js';
import { isUuid } from '../shared/http/field-patterns.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import { SafePost } from '../shared/http/client/safe-post.js';
import { changeConfig, newSecret, readConfig, refusedAddress, showConfig } from './destination-config.js';
import type { DestinationConfig } from './destination-config.js';
import { SealedConfigs } from './destination-seals.js';
import { viewDestination } from './destination-view.js';
import { UNTESTED, type DestinationEntity, type DestinationTerms, type DestinationType } from './destination.entity.js';
import { DestinationsRepository } from './destinations.repository.js';
import { TYPE_FACTS } from './print-event.js';

/** Destinations of one type in a workspace. */
const DESTINATIONS_MAX = 5;
/** Milliseconds that the resolution of a new address may take. */
const RESOLVE_MS_MAX = 2_000;

/** Destinations as the audit log shows them. */
const DESTINATION = new ManagedKind<DestinationEntity>('destination', (row) => {
  const { status: _status, status_reason: _reason, status_at: _at, ...view } = viewDestination(row);
  return { target: row.id, workspaceId: row.workspaceId, view };
});

/** A destination, with a secret that the gateway has made: it is shown this once. */
export interface MadeDestination {
  readonly row: DestinationEntity;
  readonly secret?: string;
}

const BY_DEFAULT: Omit<DestinationTerms, 'name' | 'broadcast'> = {
  enabled: true,
  privacyMode: false,
  samplingRate: 1,
  apiKeyHashes: null,
  filterRules: null,
  broadcastGenerationCost: true,
  broadcastGenerationIdentity: true,
  broadcastGenerationRequestContext: true,
};

/** The terms that concern generations only: where one is set, a webhook gets generations. */
const OF_GENERATIONS: readonly (keyof DestinationTerms)[] = [
  'samplingRate',
  'apiKeyHashes',
  'filterRules',
  'broadcastGenerationCost',
  'broadcastGenerationIdentity',
  'broadcastGenerationRequestContext',
];

/** The destinations of an account, and every change of them. */
@Injectable()
export class DestinationsService {
  constructor(
    private readonly destinations: DestinationsRepository,
    private readonly configs: SealedConfigs,
    private readonly workspaces: WorkspaceDirectory,
    private readonly keys: KeysService,
    private readonly changes: ManagedChanges,
    private readonly sender: SafePost,
  ) {}

  /**
   * Newest first, with the total number.
   * @throws GatewayError `not-found` for the workspace
   */
  async list(
    accountId: string,
    page: Page,
    { workspace, type }: { readonly workspace: string | undefined; readonly type: DestinationType | undefined },
  ): Promise<ListPart<DestinationEntity>> {
    const workspaceId = await this.workspaces.idIfNamed(wholeAccount(accountId), workspace);
    return this.destinations.list(accountId, { ...page, workspaceId, type });
  }

  /** @throws GatewayError `not-found` */
  async get(accountId: string, id: string): Promise<DestinationEntity> {
    const row = isUuid(id) ? await this.destinations.find(accountId, id) : null;
    if (!row) throw noSuchDestination();
    return row;
  }

  /**
   * @param workspace id or slug; the account's default workspace where undefined
   * @throws GatewayError `invalid-request`, `not-found` for the workspace, `conflict` at the maximum number
   */
  async create(
    caller: Caller,
    type: DestinationType,
    stated: JsonObject,
    terms: Partial<DestinationTerms> & Pick<DestinationTerms, 'name'>,
    workspace: string | undefined,
  ): Promise<MadeDestination> {
    const { accountId } = caller;
    const { generations, isSigned } = TYPE_FACTS[type];
    const read = readConfig(type, stated);
    const secret = isSigned && read.secret === undefined ? newSecret() : undefined;
    const config = secret === undefined ? read : { ...read, secret };
    const concerns = OF_GENERATIONS.some((name) => terms[name] !== undefined);
    const broadcast = terms.broadcast ?? (generations === 'always' || (generations === 'optional' && concerns));
    assertBroadcast(type, broadcast);
    const workspaceId = await this.workspaces.idOrDefault(wholeAccount(accountId), workspace);
    await this.assertReachable(type, config);
    await this.configs.ready();
    const row = await this.changes.run(caller, async (manager, createdAt) => {
      await this.workspaces.lockShared(manager, accountId, workspaceId);
      await this.assertOwn(accountId, terms.apiKeyHashes, manager);
      if ((await this.destinations.lockAndCount(manager, { accountId, workspaceId, type })) >= DESTINATIONS_MAX)
        throw new GatewayError(
          'conflict',
          `type: a workspace has at most ${DESTINATIONS_MAX} destinations of one type; delete one first`,
        );
      const identity = { id: newUuid(createdAt.getTime()), accountId };
      const inserted = await this.destinations.insert(manager, {
        ...BY_DEFAULT,
        ...terms,
        ...identity,
        ...UNTESTED,
        ...this.configs.seal(config, identity),
        shown: showConfig(type, config),
        broadcast,
        type,
        workspaceId,
        createdAt,
        updatedAt: createdAt,
      });
      return { result: inserted, entries: [DESTINATION.created(inserted)] };
    });
    return { row, ...(secret !== undefined && { secret }) };
  }

  /**
   * Changes a destination. A destination that was switched off begins again without failures when it is enabled.
   * @param stated `config` of the body: absent fields, and those as they are shown, stay
   * @throws GatewayError `not-found`, `invalid-request`
   */
  async update(
    caller: Caller,
    id: string,
    stated: JsonObject | undefined,
    terms: Partial<DestinationTerms>,
  ): Promise<DestinationEntity> {
    const known = await this.get(caller.accountId, id);
    assertBroadcast(known.type, terms.broadcast ?? known.broadcast);
    if (TYPE_FACTS[known.type].generations === 'always' && terms.broadcast === false)
      throw new GatewayError(
        'invalid-request',
        `broadcast: a destination of this type gets generations only; disable it instead`,
      );
    // Before the transaction: a name is resolved, and keys are loaded, while nothing is locked.
    if (stated) await this.assertReachable(known.type, changeConfig(known.type, await this.open(known), stated));
    await this.configs.ready();
    return this.changes.run(caller, async (manager, updatedAt) => {
      const row = await this.lock(manager, caller.accountId, known.id);
      await this.assertOwn(caller.accountId, terms.apiKeyHashes, manager);
      const before = stated && (await this.open(row));
      const config = before && changeConfig(row.type, before, stated);
      const changed = config &&
        !isDeepStrictEqual(config, before) && {
          ...this.configs.seal(config, row),
          shown: showConfig(row.type, config),
        };
      const values = { ...terms, ...changed };
      const begins = terms.enabled === true && row.status === 'switched_off';
      const write = () => this.destinations.update(manager, row, { ...values, ...(begins && UNTESTED), updatedAt });
      return DESTINATION.update(row, values, write);
    });
  }

  /**
   * Gives a webhook a new secret. The one before signs as well for a time, so that receivers can change theirs.
   * @throws GatewayError `not-found`; `invalid-request` for a type without secret
   */
  async rotate(caller: Caller, id: string, graceSeconds: number): Promise<MadeDestination> {
    const known = await this.get(caller.accountId, id);
    if (!TYPE_FACTS[known.type].isSigned)
      throw new GatewayError('invalid-request', `A destination of the type ${known.type} has no secret to rotate.`);
    // Loads the keys while nothing is locked.
    await Promise.all([this.configs.ready(), this.open(known)]);
    const secret = newSecret();
    const row = await this.changes.run(caller, async (manager, updatedAt) => {
      const before = await this.lock(manager, caller.accountId, known.id);
      const { secret: former, ...config } = await this.open(before);
      const until = updatedAt.getTime() + graceSeconds * 1_000;
      const rotated = {
        ...config,
        secret,
        former: former !== undefined && graceSeconds > 0 ? { secret: former, until } : undefined,
      };
      const sealed = this.configs.seal(rotated, before);
      const shown = showConfig(before.type, rotated);
      const after = await this.destinations.update(manager, before, { ...sealed, shown, updatedAt });
      const states = { after: { grace_seconds: graceSeconds } };
      return { result: after, entries: [DESTINATION.entry('rotate', after, states)] };
    });
    return { row, secret };
  }

  /** @throws GatewayError `not-found` */
  async delete(caller: Caller, id: string): Promise<void> {
    await this.changes.run(caller, async (manager) => {
      const row = await this.lock(manager, caller.accountId, id);
      await this.destinations.delete(manager, row);
      return { result: undefined, entries: [DESTINATION.deleted(row)] };
    });
  }

  /** Deletes those of a workspace, which is deleted in the same transaction. */
  async removeOf(manager: EntityManager, { accountId, id }: WorkspaceEntity): Promise<ManagedChange<void>> {
    const rows = await this.destinations.deleteOf(manager, accountId, id);
    return { result: undefined, entries: rows.map((row) => DESTINATION.deleted(row)) };
  }

  /** Switches one off that kept failing, unless its owner has changed it meanwhile. */
  async switchOff(failing: DestinationEntity, reason: string): Promise<void> {
    const { accountId, id } = failing;
    await this.changes.run(operatorOf(accountId), async (manager, at) => {
      const row = await this.destinations.lock(manager, accountId, id);
      if (!row || !row.enabled || row.failures === 0) return { result: undefined, entries: [] };
      const values = { enabled: false, status: 'switched_off', statusReason: reason, statusAt: at } as const;
      const after = await this.destinations.update(manager, row, { ...values, updatedAt: at });
      const states = { before: { enabled: true }, after: { enabled: false, status_reason: reason } };
      return { result: undefined, entries: [DESTINATION.entry('disable', after, states)] };
    });
  }

  /** @throws GatewayError `service-unavailable` where its configuration cannot be opened here */
  async open(row: DestinationEntity): Promise<DestinationConfig> {
    const config = await this.configs.open(row);
    if (!config)
      throw new GatewayError(
        'service-unavailable',
        'The configuration of this destination cannot be decrypted: the encryption key that it was stored with is not among those of this gateway.',
      );
    return config;
  }

  private async lock(manager: EntityManager, accountId: string, id: string): Promise<DestinationEntity> {
    const row = isUuid(id) ? await this.destinations.lock(manager, accountId, id) : null;
    if (!row) throw noSuchDestination();
    return row;
  }

  private async assertReachable(type: DestinationType, config: DestinationConfig): Promise<void> {
    const address = TYPE_FACTS[type].address(config);
    try {
      await this.sender.assertReachable(address, AbortSignal.timeout(RESOLVE_MS_MAX));
    } catch (error) {
      throw refusedAddress(type, error);
    }
  }

  private async assertOwn(
    accountId: string,
    hashes: readonly string[] | null | undefined,
    manager: EntityManager,
  ): Promise<void> {
    if (hashes && !(await this.keys.ownsAll(wholeAccount(accountId), hashes, manager)))
      throw new GatewayError('invalid-request', 'api_key_hashes: there is no key with one of these hashes');
  }
}

function assertBroadcast(type: DestinationType, broadcast: boolean): void {
  if (broadcast && TYPE_FACTS[type].generations === 'never')
    throw new GatewayError('invalid-request', `broadcast: a destination of the type ${type} gets no generations`);
}

const noSuchDestination = (): GatewayError => new GatewayError('not-found', 'There is no such destination.');
