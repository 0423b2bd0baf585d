import { Injectable, Logger } from '@nestjs/common';
import { AccountDirectory } from '../accounts/account-directory.js';
import { AuditLog } from '../audit/audit-log.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import type { Secret } from '../core/secret.js';
import { Clock } from '../core/time.js';
import { KeyRing } from '../keys/key-ring.js';
import { isUuid } from '../shared/http/field-patterns.js';
import { withinTime } from '../shared/within-time.js';
import type { CredentialDescription } from './create-credential.dto.js';
import { labelOf } from './credential-shape.js';
import { CredentialStore } from './credential-store.js';
import { viewCredential } from './credential-view.js';
import { CredentialsRepository, type CredentialListing } from './credentials.repository.js';
import { isKnownProvider } from './provider-slugs.js';
import type { CredentialTraits, ProviderCredentialEntity } from './provider-credential.entity.js';
import type { CredentialChanges } from './update-credential.dto.js';
import { Vault, type CredentialPlace, type SealedCredential } from './vault/vault.js';

/** Not in scope; chosen: all of a workspace's are read at once, every few seconds, while it is in use. */
const CREDENTIALS_MAX = 1_000;
const RETRY_AFTER_MS = 1_000;

/**
 * The provider credentials of an account and every change of them. A change is in force in this process when it returns, and
 * everywhere within five seconds. What goes in never comes out of here again but as a label.
 */
@Injectable()
export class CredentialRing {
  private readonly logger = new Logger('byok');

  constructor(
    private readonly credentials: CredentialsRepository,
    private readonly store: CredentialStore,
    private readonly vault: Vault,
    private readonly accounts: AccountDirectory,
    private readonly keys: KeyRing,
    private readonly catalog: CatalogStore,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws GatewayError `invalid-request`; `unavailable` when the key service does not answer */
  async create(caller: Caller, description: CredentialDescription): Promise<ProviderCredentialEntity> {
    const { accountId } = caller;
    const { provider, key, traits } = description;
    this.assertKnown(provider);
    assertConsistent(traits);
    const label = labelOf(provider, key);
    const workspaceId = description.workspaceId ?? (await this.defaultWorkspace(accountId));
    const now = this.clock.now();
    const place = { id: newUuid(now), workspaceId, provider };
    // Before the transaction: a key service outside may take its time, and nothing is locked meanwhile.
    const sealed = await this.seal(key, place);
    const row = await this.credentials.transaction(async (manager) => {
      if (!(await this.accounts.keepWorkspace(manager, accountId, workspaceId)))
        throw new GatewayError('invalid-request', 'workspace_id: there is no such workspace');
      await this.assertOwn(accountId, traits.allowedApiKeyHashes, manager);
      const { count, nextSortOrder } = await this.credentials.holdings(manager, accountId, workspaceId, provider);
      if (count >= CREDENTIALS_MAX)
        throw new GatewayError(
          'invalid-request',
          `workspace_id: the workspace has ${CREDENTIALS_MAX} credentials, as many as it can; delete one first`,
        );
      const created: ProviderCredentialEntity = {
        ...place,
        ...traits,
        ...sealed,
        accountId,
        label,
        sortOrder: description.sortOrder ?? nextSortOrder,
        createdAt: new Date(now),
        updatedAt: null,
        deletedAt: null,
      };
      await this.credentials.insert(manager, created);
      await this.record(manager, caller, 'byok.create', undefined, created);
      return created;
    });
    this.store.forget(row);
    return row;
  }

  /**
   * Newest first, with the number of all that the filters let through.
   * @throws GatewayError `invalid-request` for a provider that nobody knows
   */
  async list(accountId: string, listing: CredentialListing): Promise<[ProviderCredentialEntity[], number]> {
    if (listing.provider !== undefined) this.assertKnown(listing.provider);
    return this.credentials.list(accountId, listing);
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
    const row = await this.credentials.transaction(async (manager) => {
      const before = await this.credentials.lock(manager, caller.accountId, known.id);
      if (!before) throw noSuchCredential();
      const after = { ...before, ...traits, ...rotated, updatedAt: new Date(this.clock.now()) };
      assertConsistent(after);
      if (traits.allowedApiKeyHashes) await this.assertOwn(caller.accountId, traits.allowedApiKeyHashes, manager);
      if (!rotated && isSame(before, after)) return before;
      await this.credentials.write(manager, before, { ...traits, ...rotated, updatedAt: after.updatedAt });
      await this.record(manager, caller, 'byok.update', before, after, rotated !== undefined);
      return after;
    });
    this.store.forget(row);
    return row;
  }

  /**
   * Deletes it: the row stays, its text is gone for good.
   * @throws GatewayError `not-found`
   */
  async remove(caller: Caller, id: string): Promise<void> {
    if (!isUuid(id)) throw noSuchCredential();
    const row = await this.credentials.transaction(async (manager) => {
      const before = await this.credentials.lock(manager, caller.accountId, id);
      if (!before) throw noSuchCredential();
      const at = new Date(this.clock.now());
      const wiped = { keyId: null, wrappedKey: null, sealed: null };
      await this.credentials.write(manager, before, { ...wiped, updatedAt: at, deletedAt: at });
      await this.record(manager, caller, 'byok.delete', before, undefined);
      return before;
    });
    this.store.forget(row);
  }

  private async record(
    manager: Parameters<AuditLog['record']>[0],
    caller: Caller,
    action: string,
    before: ProviderCredentialEntity | undefined,
    after: ProviderCredentialEntity | undefined,
    isRotated = false,
  ): Promise<void> {
    const { id, workspaceId } = (after ?? before)!;
    await this.audit.record(manager, caller, {
      action,
      target: id,
      workspaceId,
      before: before && viewCredential(before),
      after: after && { ...viewCredential(after), ...(isRotated && { key: 'rotated' }) },
    });
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

  private async defaultWorkspace(accountId: string): Promise<string> {
    const home = await this.accounts.findDefaultWorkspace(accountId);
    if (home !== null) return home;
    throw new GatewayError('invalid-request', 'workspace_id: is required, as there is no default workspace');
  }

  private assertKnown(provider: string): void {
    if (isKnownProvider(provider, this.catalog.current())) return;
    throw new GatewayError(
      'invalid-request',
      'provider: must be the slug of a known provider, such as openai or amazon-bedrock',
    );
  }

  private async assertOwn(
    accountId: string,
    hashes: readonly string[] | null,
    manager: Parameters<AuditLog['record']>[0],
  ): Promise<void> {
    if (hashes === null || (await this.keys.ownsAll(accountId, hashes, manager))) return;
    throw new GatewayError('invalid-request', 'allowed_api_key_hashes: must be hashes of API keys of this account');
  }
}

/** WIRE 1.24. */
function assertConsistent({ isByokOnly, isFallback }: Pick<CredentialTraits, 'isByokOnly' | 'isFallback'>): void {
  if (isByokOnly && isFallback)
    throw new GatewayError('invalid-request', 'is_byok_only: can be true only where is_fallback is false');
}

const isSame = (before: ProviderCredentialEntity, after: ProviderCredentialEntity): boolean =>
  JSON.stringify(viewCredential(before)) === JSON.stringify(viewCredential(after));

const noSuchCredential = (): GatewayError => new GatewayError('not-found', 'There is no credential with this id.');
