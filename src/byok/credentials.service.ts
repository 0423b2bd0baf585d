import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import type { AuditChange } from '../audit/audit-log.js';
import { ManagedChanges, type ManagedChange } from '../audit/managed-changes.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import type { Secret } from '../core/secret.js';
import { Clock } from '../core/time.js';
import { KeysService } from '../keys/keys.service.js';
import { isUuid } from '../shared/http/field-patterns.js';
import { withinTime } from '../shared/within-time.js';
import type { CredentialDescription } from './create-credential.dto.js';
import { labelOf } from './credential-shape.js';
import { CredentialStore } from './credential-store.js';
import { viewCredential } from './credential-view.js';
import { CredentialsRepository, type CredentialListing } from './credentials.repository.js';
import type { CredentialTraits, ProviderCredentialEntity } from './provider-credential.entity.js';
import { isKnownProvider } from './provider-slugs.js';
import type { CredentialChanges } from './update-credential.dto.js';
import { Vault, type CredentialPlace, type SealedCredential } from './vault/vault.js';

/** Chosen: all of a workspace's are read at once, every few seconds, while it is in use. */
const CREDENTIALS_MAX = 1_000;
const RETRY_AFTER_MS = 1_000;

/**
 * The provider credentials of an account and every change of them. A change is in force in this process when it
 * returns, and everywhere within five seconds. What goes in never comes out of here again but as a label.
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
    const { provider, key, traits } = description;
    this.assertKnown(provider);
    assertConsistent(traits);
    const label = labelOf(provider, key);
    // The ciphertext is bound to the id as the store prints it.
    const workspaceId = await this.workspaces.idOrDefault(accountId, description.workspace);
    const place = { id: newUuid(this.clock.now()), workspaceId, provider };
    // Before the transaction: a key service outside may take its time, and nothing is locked meanwhile.
    const sealed = await this.seal(key, place);
    return this.changes.run(caller, async (manager, createdAt) => {
      await this.workspaces.keep(manager, accountId, workspaceId);
      await this.assertOwn(accountId, traits.allowedApiKeyHashes, manager);
      const { count, nextSortOrder } = await this.credentials.lockAndCount(manager, accountId, workspaceId, provider);
      if (count >= CREDENTIALS_MAX) throw tooMany();
      const sortOrder = description.sortOrder ?? nextSortOrder;
      const row = await this.credentials.insert(manager, {
        ...place,
        ...traits,
        ...sealed,
        accountId,
        label,
        sortOrder,
        createdAt,
        updatedAt: null,
        deletedAt: null,
      });
      return this.changed(row, 'byok.create', { after: viewCredential(row) });
    });
  }

  /**
   * Newest first, with the number of all that the filters let through.
   * @param workspace id or slug of the only one that is listed
   * @throws GatewayError `invalid-request` for a provider that nobody knows, `not-found` for the workspace
   */
  async list(
    accountId: string,
    { workspace, ...listing }: Omit<CredentialListing, 'workspaceId'> & { readonly workspace: string | undefined },
  ): Promise<[ProviderCredentialEntity[], number]> {
    if (listing.provider !== undefined) this.assertKnown(listing.provider);
    const workspaceId = await this.workspaces.idIfNamed(accountId, workspace);
    return this.credentials.list(accountId, { ...listing, workspaceId });
  }

  /** @throws GatewayError `not-found` */
  async get(accountId: string, id: string): Promise<ProviderCredentialEntity> {
    const row = isUuid(id) ? await this.credentials.find(accountId, id) : null;
    if (!row) throw noSuchCredential();
    return row;
  }

  /** @throws GatewayError `not-found`, `invalid-request`; `unavailable` when the key service does not answer */
  async change(caller: Caller, id: string, { key, traits }: CredentialChanges): Promise<ProviderCredentialEntity> {
    const known = await this.get(caller.accountId, id);
    // Provider and workspace never change, so what is sealed for the row as it was is sealed for it as it will be.
    const rotated = key && { label: labelOf(known.provider, key), ...(await this.seal(key, known)) };
    return this.changes.run(caller, async (manager, updatedAt) => {
      const before = await this.lock(manager, caller.accountId, known.id);
      const wanted = { ...before, ...traits, ...rotated };
      assertConsistent(wanted);
      if (traits.allowedApiKeyHashes) await this.assertOwn(caller.accountId, traits.allowedApiKeyHashes, manager);
      if (!rotated && isSame(before, wanted)) return this.changed(before);
      const row = await this.credentials.write(manager, before, { ...traits, ...rotated, updatedAt });
      const after = { ...viewCredential(row), ...(rotated && { key: 'rotated' }) };
      return this.changed(row, 'byok.update', { before: viewCredential(before), after });
    });
  }

  /**
   * Deletes it: the row stays, its text is gone for good.
   * @throws GatewayError `not-found`
   */
  async remove(caller: Caller, id: string): Promise<void> {
    if (!isUuid(id)) throw noSuchCredential();
    await this.changes.run(caller, async (manager, at) => {
      const before = await this.lock(manager, caller.accountId, id);
      const wiped = { keyId: null, wrappedKey: null, sealed: null };
      const row = await this.credentials.write(manager, before, { ...wiped, updatedAt: at, deletedAt: at });
      return this.changed(row, 'byok.delete', { before: viewCredential(before) });
    });
  }

  /** @param action nothing has changed where it is left out */
  private changed(
    row: ProviderCredentialEntity,
    action?: string,
    states: Pick<AuditChange, 'before' | 'after'> = {},
  ): ManagedChange<ProviderCredentialEntity> {
    const { id: target, workspaceId } = row;
    return {
      result: row,
      entries: action === undefined ? [] : [{ action, target, workspaceId, ...states }],
      forget: () => this.store.forget(row),
    };
  }

  private async lock(manager: EntityManager, accountId: string, id: string): Promise<ProviderCredentialEntity> {
    const row = await this.credentials.lock(manager, accountId, id);
    if (!row) throw noSuchCredential();
    return row;
  }

  private async seal(key: Secret, place: CredentialPlace): Promise<SealedCredential> {
    try {
      return await withinTime(this.vault.seal(key, place));
    } catch (cause) {
      this.logger.warn('A provider credential cannot be sealed: the key service does not answer.', cause);
      const message = 'The credential cannot be encrypted at the moment; try again shortly.';
      throw new GatewayError('unavailable', message, { retryAfterMs: RETRY_AFTER_MS }, { cause });
    }
  }

  private assertKnown(provider: string): void {
    if (isKnownProvider(provider, this.catalog.current())) return;
    throw new GatewayError(
      'invalid-request',
      'provider: must be the slug of a known provider, such as openai or amazon-bedrock',
    );
  }

  private async assertOwn(accountId: string, hashes: readonly string[] | null, manager: EntityManager): Promise<void> {
    if (hashes === null || (await this.keys.ownsAll(accountId, hashes, manager))) return;
    throw new GatewayError('invalid-request', 'allowed_api_key_hashes: must be hashes of API keys of this account');
  }
}

/** docs/byok.md#the-interface. */
function assertConsistent({ isByokOnly, isFallback }: Pick<CredentialTraits, 'isByokOnly' | 'isFallback'>): void {
  if (isByokOnly && isFallback)
    throw new GatewayError('invalid-request', 'is_byok_only: can be true only where is_fallback is false');
}

const isSame = (before: ProviderCredentialEntity, after: ProviderCredentialEntity): boolean =>
  JSON.stringify(viewCredential(before)) === JSON.stringify(viewCredential(after));

const tooMany = (): GatewayError =>
  new GatewayError(
    'invalid-request',
    `workspace_id: the workspace has ${CREDENTIALS_MAX} credentials, as many as it can; delete one first`,
  );

const noSuchCredential = (): GatewayError => new GatewayError('not-found', 'There is no credential with this id.');
