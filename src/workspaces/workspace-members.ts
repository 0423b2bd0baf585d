import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WORKSPACE } from '../management/managed-workspace.js';
import type { Caller, Reach } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { positionOfLast } from '../shared/database/newest-first.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import { shortened } from '../core/shortened.js';
import { membersRemoved, WorkspacesService } from './workspaces.service.js';
import { WorkspacesRepository } from './workspaces.repository.js';

/** A user who belongs to a workspace. */
export interface WorkspaceMember {
  readonly workspaceId: string;
  readonly userId: string;
  readonly createdAt: Date;
}

interface MemberRow {
  readonly workspace_id: string;
  readonly user_id: string;
  readonly created_at: Date;
}

/** Members named in an error message; the rest is counted. */
const NAMED_MAX = 10;

/** The members of workspaces and every change of them. Users are opaque: only the caller's system knows them. */
@Injectable()
export class WorkspaceMembers {
  constructor(
    private readonly database: DataSource,
    private readonly workspaces: WorkspacesService,
    private readonly statements: WorkspacesRepository,
  ) {}

  /**
   * Newest first, with the total number.
   * @throws GatewayError `not-found`
   */
  async list(reach: Reach, reference: string, { offset, limit, after }: Page): Promise<ListPart<WorkspaceMember>> {
    const { id, accountId } = await this.workspaces.get(reach, reference);
    const from = 'FROM workspace_members WHERE account_id = $1 AND workspace_id = $2';
    const rows = await this.database.query<MemberRow[]>(
      `SELECT workspace_id, user_id, created_at ${from}
       ${after ? 'AND created_at <= $5 AND (created_at < $5 OR user_id > $6)' : ''}
       ORDER BY created_at DESC, user_id OFFSET $3 LIMIT $4`,
      [accountId, id, after ? 0 : offset, limit, ...(after ? [after.at, after.ids[0]] : [])],
    );
    const [counted] = after
      ? []
      : await this.database.query<{ total: number }[]>(`SELECT count(*)::int AS total ${from}`, [accountId, id]);
    const last = positionOfLast(rows, ({ created_at: at, user_id: user }) => ({ at, ids: [user] }));
    return [rows.map(readMember), counted?.total ?? 0, last];
  }

  /**
   * @returns those that were no members before
   * @throws GatewayError `not-found`
   */
  async add(caller: Caller, reference: string, userIds: readonly string[]): Promise<readonly WorkspaceMember[]> {
    return this.workspaces.within(caller, reference, async (manager, workspace, at) => {
      const rows = await manager.query<MemberRow[]>(
        `INSERT INTO workspace_members (account_id, workspace_id, user_id, created_at)
         SELECT $1, $2, given.user_id, $4 FROM unnest($3::text[]) AS given (user_id)
         ON CONFLICT DO NOTHING RETURNING workspace_id, user_id, created_at`,
        [caller.accountId, workspace.id, userIds, at],
      );
      const after = { user_ids: rows.map(({ user_id }) => user_id) };
      const entry = WORKSPACE.entry('members.add', workspace, { after });
      return { result: rows.map(readMember), entries: rows.length > 0 ? [entry] : [] };
    });
  }

  /**
   * @returns how many were members
   * @throws GatewayError `not-found`; `invalid-request`, naming them, when some still have active keys in the
   *   workspace: then none is removed
   */
  async remove(caller: Caller, reference: string, userIds: readonly string[]): Promise<number> {
    return this.workspaces.within(caller, reference, async (manager, workspace, at) => {
      const busy = await this.statements.listMembersWithKeys(manager, workspace, userIds, at);
      if (busy.length > 0) throw membersHaveKeysError(busy);
      const removed = await this.statements.removeMembers(manager, workspace, userIds);
      return { result: removed.length, entries: membersRemoved(workspace, removed) };
    });
  }
}

const readMember = (row: MemberRow): WorkspaceMember => ({
  workspaceId: row.workspace_id,
  userId: row.user_id,
  createdAt: row.created_at,
});

function membersHaveKeysError(userIds: readonly string[]): GatewayError {
  const named = userIds.slice(0, NAMED_MAX).map(shortened).join(', ');
  const others = userIds.length > NAMED_MAX ? ` and ${userIds.length - NAMED_MAX} more` : '';
  return new GatewayError(
    'invalid-request',
    `user_ids: members with active keys in the workspace cannot be removed; delete or disable the keys first: ${named}${others}`,
  );
}
