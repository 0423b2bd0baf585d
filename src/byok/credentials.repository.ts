import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan, Repository, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Reach } from '../core/caller.js';
import { waitForLock } from '../shared/database/advisory-locks.js';
import { insertReturning, updateReturning } from '../shared/database/returned-rows.js';
import { listNewest } from '../shared/database/newest-first.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import type { Finding } from './credential-verdict.js';
import { ProviderCredentialEntity } from './provider-credential.entity.js';

/** A page of the credentials of an account. */
export interface CredentialListing extends Page {
  readonly workspaceId: string | undefined;
  readonly provider: string | undefined;
}

/** The current number and order of a workspace's credentials. */
export interface CredentialTotals {
  readonly count: number;
  /** The position after the last one of the provider. */
  readonly nextSortOrder: number;
}

/** The statements over `provider_credentials`. All of them ignore deleted ones. */
@Injectable()
export class CredentialsRepository {
  constructor(
    @InjectRepository(ProviderCredentialEntity) private readonly credentials: Repository<ProviderCredentialEntity>,
  ) {}

  async find(reach: Reach, id: string): Promise<ProviderCredentialEntity | null> {
    return this.credentials.findOneBy(withinReach(reach, id));
  }

  /** Newest first, with the total number that pass the filters. */
  async list(accountId: string, listing: CredentialListing): Promise<ListPart<ProviderCredentialEntity>> {
    const { workspaceId, provider } = listing;
    const where = {
      accountId,
      deletedAt: IsNull(),
      ...(workspaceId !== undefined && { workspaceId }),
      ...(provider !== undefined && { provider }),
    };
    return listNewest(this.credentials.createQueryBuilder('credential').where(where), 'id', 'DESC', listing);
  }

  /** The enabled credentials of a workspace. */
  async listEnabled(accountId: string, workspaceId: string): Promise<ProviderCredentialEntity[]> {
    return this.credentials.findBy({ accountId, workspaceId, disabled: false, deletedAt: IsNull() });
  }

  /** A page over all accounts, by id: the one read that is not scoped, for the operator's log at the start. */
  async listAfter(id: string, limit: number): Promise<ProviderCredentialEntity[]> {
    return this.credentials.find({
      where: { id: MoreThan(id), deletedAt: IsNull() },
      order: { id: 'ASC' },
      take: limit,
    });
  }

  /** The current row, locked until the transaction ends. */
  async lock(manager: EntityManager, reach: Reach, id: string): Promise<ProviderCredentialEntity | null> {
    return manager
      .createQueryBuilder(ProviderCredentialEntity, 'credential')
      .setLock('pessimistic_write')
      .where(withinReach(reach, id))
      .getOne();
  }

  /** Counts the workspace's credentials; until the transaction ends no other transaction can add one. */
  async lockAndCount(
    manager: EntityManager,
    accountId: string,
    workspaceId: string,
    provider: string,
  ): Promise<CredentialTotals> {
    await waitForLock(manager, 'credentialOrder', workspaceId);
    // A separate statement: it sees what was committed while the lock was waited for.
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
   * @returns those that existed
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
   * Stores what a call with a credential showed, and when; a test is no use. Nothing is written where its text was
   * replaced since the row was read. This is no change by an administrator, so the audit log gets no entry.
   */
  async noteState(
    { accountId, id, wrappedKey }: Pick<ProviderCredentialEntity, 'accountId' | 'id' | 'wrappedKey'>,
    { status, reason }: Finding,
    at: Date,
    by: 'test' | 'request',
  ): Promise<void> {
    await this.credentials.query(
      `UPDATE provider_credentials SET
         status = $4,
         status_reason = $5,
         status_at = CASE WHEN status = $4 AND status_reason IS NOT DISTINCT FROM $5 THEN status_at ELSE $6 END,
         last_used_at = CASE WHEN $7 THEN greatest(last_used_at, $6) ELSE last_used_at END,
         last_refusal = coalesce($5, last_refusal),
         last_refused_at = CASE WHEN $5 IS NULL THEN last_refused_at ELSE $6 END
       WHERE account_id = $1 AND id = $2 AND wrapped_key = $3`,
      [accountId, id, wrappedKey, status, reason, at, by === 'request'],
    );
  }

  /** Overwrites a row that the transaction has locked. @returns it as it is stored now */
  async write(
    manager: EntityManager,
    { accountId, id }: ProviderCredentialEntity,
    values: Partial<Omit<ProviderCredentialEntity, 'id' | 'accountId' | 'workspaceId' | 'provider' | 'createdAt'>>,
  ): Promise<ProviderCredentialEntity> {
    const [row] = await updateReturning(manager, ProviderCredentialEntity, { accountId, id }, values);
    return row!;
  }
}

const withinReach = ({ accountId, boundTo }: Reach, id: string): FindOptionsWhere<ProviderCredentialEntity> => ({
  accountId,
  id,
  deletedAt: IsNull(),
  ...(boundTo !== undefined && { workspaceId: boundTo }),
});
