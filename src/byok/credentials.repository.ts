import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan, Repository, type EntityManager } from 'typeorm';
import { waitForLock } from '../shared/database/advisory-locks.js';
import { insertReturning, updateReturning } from '../shared/database/returned-rows.js';
import type { Page } from '../shared/http/page.dto.js';
import type { Finding } from './credential-verdict.js';
import { ProviderCredentialEntity } from './provider-credential.entity.js';

/** A page of the credentials of an account. */
export interface CredentialListing extends Page {
  readonly workspaceId: string | undefined;
  readonly provider: string | undefined;
}

/** What a workspace has already. */
export interface CredentialTotals {
  readonly count: number;
  /** The place behind the last one of the provider. */
  readonly nextSortOrder: number;
}

/** The statements over `provider_credentials`. A deleted one is there for none of them. */
@Injectable()
export class CredentialsRepository {
  constructor(
    @InjectRepository(ProviderCredentialEntity) private readonly credentials: Repository<ProviderCredentialEntity>,
  ) {}

  async find(accountId: string, id: string): Promise<ProviderCredentialEntity | null> {
    return this.credentials.findOneBy({ accountId, id, deletedAt: IsNull() });
  }

  /** Newest first, with the number of all that the filters let through. */
  async list(accountId: string, listing: CredentialListing): Promise<[ProviderCredentialEntity[], number]> {
    const { workspaceId, provider } = listing;
    return this.credentials.findAndCount({
      where: {
        accountId,
        deletedAt: IsNull(),
        ...(workspaceId !== undefined && { workspaceId }),
        ...(provider !== undefined && { provider }),
      },
      order: { createdAt: 'DESC', id: 'DESC' },
      skip: listing.offset,
      take: listing.limit,
    });
  }

  /** Those of a workspace that may be used. */
  async listEnabled(accountId: string, workspaceId: string): Promise<ProviderCredentialEntity[]> {
    return this.credentials.findBy({ accountId, workspaceId, disabled: false, deletedAt: IsNull() });
  }

  /** Some of all accounts, by id: the one read that is not scoped, for the operator's log at the start. */
  async listAfter(id: string, limit: number): Promise<ProviderCredentialEntity[]> {
    return this.credentials.find({
      where: { id: MoreThan(id), deletedAt: IsNull() },
      order: { id: 'ASC' },
      take: limit,
    });
  }

  /** The row as it is now, kept so until the transaction ends. */
  async lock(manager: EntityManager, accountId: string, id: string): Promise<ProviderCredentialEntity | null> {
    return manager
      .createQueryBuilder(ProviderCredentialEntity, 'credential')
      .setLock('pessimistic_write')
      .where({ accountId, id, deletedAt: IsNull() })
      .getOne();
  }

  /** What the workspace has; until the transaction ends nobody else adds to it. */
  async lockAndCount(
    manager: EntityManager,
    accountId: string,
    workspaceId: string,
    provider: string,
  ): Promise<CredentialTotals> {
    await waitForLock(manager, 'credentialOrder', workspaceId);
    // A statement of its own: it sees what was committed while the lock was waited for.
    const [row] = await manager.query<{ count: number; next: number }[]>(
      `SELECT count(*)::integer AS count,
         least(coalesce(max(sort_order) FILTER (WHERE provider = $3), -1)::bigint + 1, 2147483647)::integer AS next
       FROM provider_credentials WHERE account_id = $1 AND workspace_id = $2 AND deleted_at IS NULL`,
      [accountId, workspaceId, provider],
    );
    return { count: row!.count, nextSortOrder: row!.next };
  }

  /** @returns the row as it is stored */
  async insert(manager: EntityManager, row: ProviderCredentialEntity): Promise<ProviderCredentialEntity> {
    return insertReturning(manager, ProviderCredentialEntity, row);
  }

  /**
   * Deletes one, or all of a workspace: rows stay, their text is gone for good.
   * @returns those that were there
   */
  async remove(
    manager: EntityManager,
    which: { readonly accountId: string } & ({ readonly id: string } | { readonly workspaceId: string }),
    at: Date,
  ): Promise<readonly ProviderCredentialEntity[]> {
    const wiped = { keyId: null, wrappedKey: null, sealed: null, updatedAt: at, deletedAt: at };
    return updateReturning(manager, ProviderCredentialEntity, { ...which, deletedAt: IsNull() }, wiped);
  }

  /**
   * Keeps what a call with a credential found. Nothing is written where its text was replaced since the row was read.
   * No change of an administrator's: the audit log has no entry of it.
   */
  async noteState(
    { accountId, id, wrappedKey }: Pick<ProviderCredentialEntity, 'accountId' | 'id' | 'wrappedKey'>,
    { status, reason }: Finding,
    at: Date,
  ): Promise<void> {
    await this.credentials.query(
      `UPDATE provider_credentials SET status = $4, status_reason = $5, status_at = $6
       WHERE account_id = $1 AND id = $2 AND wrapped_key = $3`,
      [accountId, id, wrappedKey, status, reason, at],
    );
  }

  /** Writes over a row that the transaction has locked. @returns it as it is stored since */
  async write(
    manager: EntityManager,
    { accountId, id }: ProviderCredentialEntity,
    values: Partial<Omit<ProviderCredentialEntity, 'id' | 'accountId' | 'workspaceId' | 'provider' | 'createdAt'>>,
  ): Promise<ProviderCredentialEntity> {
    const [row] = await updateReturning(manager, ProviderCredentialEntity, { accountId, id }, values);
    return row!;
  }
}
