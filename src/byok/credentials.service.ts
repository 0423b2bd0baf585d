import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { ManagedChanges, type ManagedChange } from '../management/managed-changes.js';
import { ManagedKind } from '../management/managed-kind.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import { reachOf, type Caller, type Reach } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { PUBLISHED_SLUGS } from '../core/routing/published-slugs.js';
import type { Secret } from '../core/secret.js';
import { Clock } from '../core/time.js';
import { KeysService } from '../keys/keys.service.js';
import { isUuid } from '../shared/http/field-patterns.js';
import { nearestName } from '../shared/http/nearest-name.js';
import { withinTime } from '../shared/within-time.js';
import type { ListPart } from '../shared/http/page.dto.js';
import type { CredentialDescription } from './create-credential.dto.js';
import { assertSendable, labelOf, trimKey } from './credential-shape.js';
import { CredentialStore } from './credential-store.js';
import { viewCredential } from './credential-view.js';
import { CredentialsRepository, type CredentialListing } from './credentials.repository.js';
import { assertVendorOfKey } from './vendor-of-key.js';
import { UNTESTED, type CredentialTraits, type ProviderCredentialEntity } from './provider-credential.entity.js';
import type { CredentialChanges } from './update-credential.dto.js';
import { Vault, type CredentialContext, type SealedCredential } from '../vault/vault.js';

/** Chosen: all of a workspace's are read at once, every few seconds, while it is in use. */
const CREDENTIALS_MAX = 1_000;
/** Sent as `Retry-After` where the key service does not answer. */
const KEY_SERVICE_RETRY_AFTER_MS = 1_000;

/** Credentials as the audit log shows them, without their text: only that it was replaced. */
const BYOK = new ManagedKind<ProviderCredentialEntity>('byok', (row) => ({
  target: row.id,
  workspaceId: row.workspaceId,
  view: viewCredential(row),
}));

/**
 * The provider credentials of an account and every change of them. A change is in force in this process when it
 * returns, and everywhere within five seconds. A stored text leaves this class only as a label.
 */
@Injectable()
export class CredentialsService {
  private readonly logger = new Logger('byok');

  constructor(
    private readonly credentials: CredentialsRepository,
    private readonly store: CredentialStore,
    private readonly vault: Vault,
    private readonly workspaces: WorkspaceDirectory,
    private readonly keys: KeysService,
    private readonly catalog: CatalogStore,
    private readonly changes: ManagedChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws GatewayError `invalid-request`; `not-found` for the workspace; `unavailable` when the key service does not
   * answer
   */
  async create(caller: Caller, description: CredentialDescription): Promise<ProviderCredentialEntity> {
    const { accountId } = caller;
    const { provider, traits } = description;
    this.assertKnown(provider);
    assertConsistent(traits);
    const { key, label } = this.readKey(provider, description.key);
    // The ciphertext is bound to the id as the store prints it.
    const workspaceId = await this.workspaces.idOrDefault(reachOf(caller), description.workspace);
    const owner = { id: newUuid(this.clock.now()), workspaceId, provider };
    // Before the transaction: an external key service may be slow, and nothing is locked meanwhile.
    const sealed = await this.seal(key, owner);
    return this.changes.run(caller, async (manager, createdAt) => {
      await this.workspaces.lockShared(manager, accountId, workspaceId);
      await this.assertOwn(reachOf(caller), traits.allowedApiKeyHashes, manager);
      const { count, nextSortOrder } = await this.credentials.lockAndCount(manager, accountId, workspaceId, provider);
      if (count >= CREDENTIALS_MAX) throw tooMany();
      const sortOrder = description.sortOrder ?? nextSortOrder;
      const row = await this.credentials.insert(manager, {
        ...owner,
        ...traits,
        ...sealed,
        ...UNTESTED,
        accountId,
        label,
        sortOrder,
        createdAt,
        updatedAt: null,
        deletedAt: null,
      });
      return { result: row, entries: [BYOK.created(row)], forget: () => this.store.forget(row) };
    });
  }

  /**
   * Newest first, with the total number that pass the filters.
   * @param workspace id or slug; only its credentials are listed
   * @throws GatewayError `invalid-request` for an unknown provider, `not-found` for the workspace
   */
  async list(
    reach: Reach,
    { workspace, ...listing }: Omit<CredentialListing, 'workspaceId'> & { readonly workspace: string | undefined },
  ): Promise<ListPart<ProviderCredentialEntity>> {
    if (listing.provider !== undefined) this.assertKnown(listing.provider);
    const workspaceId = await this.workspaces.idIfNamed(reach, workspace);
    return this.credentials.list(reach.accountId, { ...listing, workspaceId });
  }

  /** @throws GatewayError `not-found` */
  async get(reach: Reach, id: string): Promise<ProviderCredentialEntity> {
    const row = isUuid(id) ? await this.credentials.find(reach, id) : null;
    if (!row) throw noSuchCredential();
    return row;
  }

  /** @throws GatewayError `not-found`, `invalid-request`; `unavailable` when the key service does not answer */
  async change(caller: Caller, id: string, { key, traits }: CredentialChanges): Promise<ProviderCredentialEntity> {
    const reach = reachOf(caller);
    const known = await this.get(reach, id);
    // Provider and workspace never change, so a text sealed for the old row is sealed for the new one too.
    const rotated = key && (await this.replace(known, key));
    return this.changes.run(caller, async (manager, updatedAt) => {
      const before = await this.lock(manager, reach, known.id);
      assertConsistent({ ...before, ...traits });
      if (traits.allowedApiKeyHashes) await this.assertOwn(reach, traits.allowedApiKeyHashes, manager);
      const values = { ...traits, ...rotated };
      const write = () => this.credentials.write(manager, before, { ...values, updatedAt });
      const change = await BYOK.update(before, values, write, rotated && { key: 'rotated' });
      return { ...change, forget: () => this.store.forget(before) };
    });
  }

  /**
   * Deletes it: the row stays, its text is gone for good.
   * @throws GatewayError `not-found`
   */
  async remove(caller: Caller, id: string): Promise<void> {
    if (!isUuid(id)) throw noSuchCredential();
    await this.changes.run(caller, async (manager, at) => {
      const before = await this.lock(manager, reachOf(caller), id);
      await this.credentials.remove(manager, { accountId: before.accountId, id: before.id }, at);
      return { result: undefined, entries: [BYOK.deleted(before)], forget: () => this.store.forget(before) };
    });
  }

  /** Deletes the credentials of a workspace within the change that deletes it. */
  async removeOf(manager: EntityManager, { accountId, id }: WorkspaceEntity, at: Date): Promise<ManagedChange<void>> {
    const rows = await this.credentials.remove(manager, { accountId, workspaceId: id }, at);
    return {
      result: undefined,
      entries: rows.map((row) => BYOK.deleted(row)),
      forget: () => this.store.forget({ accountId, workspaceId: id }),
    };
  }

  private async lock(manager: EntityManager, reach: Reach, id: string): Promise<ProviderCredentialEntity> {
    const row = await this.credentials.lock(manager, reach, id);
    if (!row) throw noSuchCredential();
    return row;
  }

  /** @throws GatewayError `invalid-request` for a text that cannot be a credential of the provider */
  private readKey(provider: string, secret: Secret): { readonly key: Secret; readonly label: string } {
    const key = trimKey(secret);
    const label = labelOf(provider, key);
    assertSendable(key);
    assertVendorOfKey(key, this.catalog.current.providers.get(provider)?.baseUrl);
    return { key, label };
  }

  private async replace(
    row: ProviderCredentialEntity,
    secret: Secret,
  ): Promise<SealedCredential & Pick<ProviderCredentialEntity, 'label' | 'status' | 'statusReason' | 'statusAt'>> {
    const { key, label } = this.readKey(row.provider, secret);
    return { label, ...UNTESTED, ...(await this.seal(key, row)) };
  }

  private async seal(key: Secret, owner: CredentialContext): Promise<SealedCredential> {
    try {
      return await withinTime(this.vault.seal(key, owner));
    } catch (cause) {
      this.logger.warn('A provider credential cannot be sealed: the key service does not answer.', cause);
      const message = 'The credential cannot be encrypted at the moment; try again shortly.';
      throw new GatewayError('service-unavailable', message, { retryAfterMs: KEY_SERVICE_RETRY_AFTER_MS }, { cause });
    }
  }

  private assertKnown(provider: string): void {
    if (PUBLISHED_SLUGS.has(provider) || this.catalog.current.providers.has(provider)) return;
    const nearest = nearestName(provider, [...this.catalog.current.providers.keys(), ...PUBLISHED_SLUGS]);
    const example = nearest === undefined ? ', such as openai or amazon-bedrock' : `; did you mean ${nearest}?`;
    throw new GatewayError('invalid-request', `provider: must be the slug of a known provider${example}`);
  }

  private async assertOwn(reach: Reach, hashes: readonly string[] | null, manager: EntityManager): Promise<void> {
    if (hashes === null || (await this.keys.ownsAll(reach, hashes, manager))) return;
    throw new GatewayError('invalid-request', 'allowed_api_key_hashes: must be hashes of API keys of this account');
  }
}

/** docs/operate/byok.md#the-interface. */
function assertConsistent({ isByokOnly, isFallback }: Pick<CredentialTraits, 'isByokOnly' | 'isFallback'>): void {
  if (isByokOnly && isFallback)
    throw new GatewayError('invalid-request', 'is_byok_only: can be true only where is_fallback is false');
}

const tooMany = (): GatewayError =>
  new GatewayError(
    'invalid-request',
    `workspace_id: the workspace has ${CREDENTIALS_MAX} credentials, as many as it can; delete one first`,
  );

const noSuchCredential = (): GatewayError => new GatewayError('not-found', 'There is no credential with this id.');
