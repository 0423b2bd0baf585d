import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Reach } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { isUuid } from '../shared/http/field-patterns.js';
import { workspaceSlug } from '../shared/http/shared-fields.js';
import { WorkspaceEntity } from './workspace.entity.js';

/** Position of the workspace's name in a request, for the error message: the address, or a field of this name. */
export type NamedIn = 'address' | 'workspace_id';

/**
 * Finds a workspace by its id or its slug, from a path, a query or a body: an id where a text could be both. Workspaces
 * of other accounts, deleted ones, and those that a key does not reach do not exist. Safe to share; every result is
 * read from the store.
 */
@Injectable()
export class WorkspaceDirectory {
  constructor(private readonly database: DataSource) {}

  /** @throws GatewayError `not-found` */
  async get(reach: Reach, reference: string, named: NamedIn = 'workspace_id'): Promise<WorkspaceEntity> {
    const wheres = conditionsOf(reach, reference);
    const rows = wheres.length === 0 ? [] : await this.database.manager.find(WorkspaceEntity, { where: wheres });
    return chosen(rows, reference, named);
  }

  /**
   * Id of the workspace that a body names; else of the one that the key is bound to, or of the account's default one.
   * @throws GatewayError `not-found`; `invalid-request` where none is named and there is no default
   */
  async idOrDefault(reach: Reach, reference: string | undefined): Promise<string> {
    const { accountId, boundTo } = reach;
    if (reference !== undefined) return (await this.get(reach, reference)).id;
    if (boundTo !== undefined) return boundTo;
    const home = { accountId, isDefault: true, deletedAt: IsNull() };
    const workspace = await this.database.manager.findOneBy(WorkspaceEntity, home);
    if (workspace) return workspace.id;
    // Only a manual change of the store can cause this.
    throw new GatewayError('invalid-request', 'workspace_id: is required, as there is no default workspace');
  }

  /**
   * Id of the workspace that a list is limited to: the named one, else the one that the key is bound to; undefined
   * where there is neither.
   * @throws GatewayError `not-found`
   */
  async idIfNamed(reach: Reach, reference: string | undefined): Promise<string | undefined> {
    return reference === undefined ? reach.boundTo : (await this.get(reach, reference)).id;
  }

  /**
   * The workspace of records of the past, where a deleted workspace still counts: by its id alone, because its slug may
   * belong to another one now.
   * @throws GatewayError `not-found`
   */
  async idEvenIfDeleted(reach: Reach, reference: string | undefined): Promise<string | undefined> {
    const { accountId, boundTo } = reach;
    if (reference !== undefined && boundTo === undefined && isUuid(reference)) {
      const ever = await this.database.manager.findOneBy(WorkspaceEntity, { accountId, id: reference });
      if (ever) return ever.id;
    }
    // The workspace of a key that works is not deleted.
    return this.idIfNamed(reach, reference);
  }

  /**
   * Locks the workspace against deletion until the transaction ends. For transactions that add something to it.
   * @throws GatewayError `not-found`
   */
  async lockShared(manager: EntityManager, accountId: string, workspaceId: string): Promise<void> {
    const rows = await manager.query<unknown[]>(
      'SELECT 1 FROM workspaces WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR KEY SHARE',
      [accountId, workspaceId],
    );
    if (rows.length === 0) throw unknownWorkspace('workspace_id');
  }

  /**
   * Locks the workspace until the transaction ends: no other one changes it or adds to it.
   * @throws GatewayError `not-found`
   */
  async lock(manager: EntityManager, reach: Reach, reference: string): Promise<WorkspaceEntity> {
    const wheres = conditionsOf(reach, reference);
    const rows = wheres.length === 0 ? [] : await lockAll(manager, wheres);
    return chosen(rows, reference, 'address');
  }
}

const lockAll = (manager: EntityManager, wheres: FindOptionsWhere<WorkspaceEntity>[]): Promise<WorkspaceEntity[]> =>
  manager
    .createQueryBuilder(WorkspaceEntity, 'workspace')
    .setLock('pessimistic_write')
    .where(wheres)
    .orderBy('workspace.id')
    .getMany();

/** Queries by id only where the reference can be one, and nothing beyond the reach. */
function conditionsOf({ accountId, boundTo }: Reach, reference: string): FindOptionsWhere<WorkspaceEntity>[] {
  const within = { accountId, deletedAt: IsNull(), ...(boundTo !== undefined && { id: boundTo }) };
  const isWithin = boundTo === undefined || reference.toLowerCase() === boundTo;
  return [
    ...(isUuid(reference) && isWithin ? [{ ...within, id: reference }] : []),
    ...(workspaceSlug.check(reference) ? [{ ...within, slug: reference }] : []),
  ];
}

function chosen(rows: readonly WorkspaceEntity[], reference: string, named: NamedIn): WorkspaceEntity {
  const workspace = rows.find(({ id }) => id === reference.toLowerCase()) ?? rows[0];
  if (!workspace) throw unknownWorkspace(named);
  return workspace;
}

const unknownWorkspace = (named: NamedIn): GatewayError =>
  new GatewayError(
    'not-found',
    named === 'address' ? 'There is no workspace with this id or slug.' : `${named}: there is no such workspace`,
  );
