import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, QueryFailedError, type EntityManager } from 'typeorm';
import { WorkspaceEntity } from '../accounts/workspace.entity.js';
import type { Reach } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { insertReturning, updateReturning } from '../shared/database/returned-rows.js';
import { listNewest } from '../shared/database/newest-first.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import type { WorkspaceChanges } from './workspace-bodies.dto.js';

const SLUG_INDEX = 'workspaces_slug';

/** The statements over `workspaces`. All of them ignore deleted ones. */
@Injectable()
export class WorkspacesRepository {
  constructor(private readonly database: DataSource) {}

  /** Newest first, with the total number. */
  async list({ accountId, boundTo }: Reach, page: Page): Promise<ListPart<WorkspaceEntity>> {
    const where = { accountId, deletedAt: IsNull(), ...(boundTo !== undefined && { id: boundTo }) };
    const found = this.database.manager.createQueryBuilder(WorkspaceEntity, 'workspace').where(where);
    return listNewest(found, 'id', 'ASC', page);
  }

  /**
   * @returns the row as it is stored
   * @throws GatewayError `invalid-request` when another workspace of the account has the slug
   */
  async insert(manager: EntityManager, workspace: WorkspaceEntity): Promise<WorkspaceEntity> {
    return refusingDuplicateSlug(insertReturning(manager, WorkspaceEntity, workspace));
  }

  /**
   * @returns the row as it is stored now
   * @throws GatewayError `invalid-request` when another workspace of the account has the slug
   */
  async change(
    manager: EntityManager,
    { accountId, id }: WorkspaceEntity,
    changes: WorkspaceChanges,
    updatedAt: Date,
  ): Promise<WorkspaceEntity> {
    const where = { accountId, id };
    const [row] = await refusingDuplicateSlug(
      updateReturning(manager, WorkspaceEntity, where, { ...changes, updatedAt }),
    );
    return row!;
  }

  /** Whether the guardrail is there, and within reach; locks it against deletion until the transaction ends. */
  async lockGuardrailShared(
    manager: EntityManager,
    { accountId, boundTo }: Reach,
    guardrailId: string,
  ): Promise<boolean> {
    const rows = await manager.query<unknown[]>(
      `SELECT 1 FROM guardrails WHERE account_id = $1 AND id = $2 AND ($3::uuid IS NULL OR workspace_id = $3) FOR KEY SHARE`,
      [accountId, guardrailId, boundTo ?? null],
    );
    return rows.length > 0;
  }

  /** Whether the guardrail that is the default of a workspace is stored in the same one, or there is none. */
  async hasOwnDefault(manager: EntityManager, { id, defaultGuardrailId }: WorkspaceEntity): Promise<boolean> {
    if (defaultGuardrailId === null) return true;
    const rows = await manager.query<unknown[]>('SELECT 1 FROM guardrails WHERE id = $1 AND workspace_id = $2', [
      defaultGuardrailId,
      id,
    ]);
    return rows.length > 0;
  }

  /** The members that have active keys in the workspace, by name. */
  async listMembersWithKeys(
    manager: EntityManager,
    { accountId, id }: WorkspaceEntity,
    userIds: readonly string[],
    at: Date,
  ): Promise<readonly string[]> {
    const rows = await manager.query<{ user_id: string }[]>(
      `SELECT m.user_id FROM workspace_members m
       WHERE m.account_id = $1 AND m.workspace_id = $2 AND m.user_id = ANY($4) AND EXISTS (
         SELECT 1 FROM api_keys k
         WHERE k.account_id = $1 AND k.workspace_id = $2 AND k.creator_user_id = m.user_id
           AND NOT k.disabled AND k.deleted_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $3)
       ) ORDER BY m.user_id`,
      [accountId, id, at, userIds],
    );
    return rows.map(({ user_id }) => user_id);
  }

  /**
   * Removes members from it.
   * @param userIds all of them where absent
   * @returns those that were members
   */
  async removeMembers(
    manager: EntityManager,
    { accountId, id }: WorkspaceEntity,
    userIds?: readonly string[],
  ): Promise<readonly string[]> {
    const [rows] = await manager.query<[{ user_id: string }[], number]>(
      `DELETE FROM workspace_members
       WHERE account_id = $1 AND workspace_id = $2 AND ($3::text[] IS NULL OR user_id = ANY($3)) RETURNING user_id`,
      [accountId, id, userIds ?? null],
    );
    return rows.map(({ user_id }) => user_id);
  }

  /** Deletes it: the row stays. */
  async remove(manager: EntityManager, { accountId, id }: WorkspaceEntity, at: Date): Promise<void> {
    await manager.update(WorkspaceEntity, { accountId, id }, { deletedAt: at, updatedAt: at });
  }
}

async function refusingDuplicateSlug<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const cause = error instanceof QueryFailedError ? (error.driverError as { constraint?: string }) : {};
    if (cause.constraint !== SLUG_INDEX) throw error;
    throw new GatewayError('invalid-request', 'slug: another workspace of the account has it');
  }
}
