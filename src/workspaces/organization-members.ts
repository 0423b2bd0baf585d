import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Reach } from '../core/caller.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';

/** A user of the account: a member of a workspace, or one that a key was made for. */
export interface OrganizationMember {
  readonly userId: string;
  /** Whether a management key of the account was made for the user. */
  readonly isAdmin: boolean;
}

interface MemberRow {
  readonly user_id: string | null;
  readonly is_admin: boolean;
  readonly total: number;
}

/** The users of an account. Only the caller's system knows more of them than their ids. */
@Injectable()
export class OrganizationMembers {
  constructor(private readonly database: DataSource) {}

  /** The newest first, with the total number. */
  async list({ accountId, boundTo }: Reach, page: Page): Promise<ListPart<OrganizationMember>> {
    const rows = await this.database.query<MemberRow[]>(
      `WITH users AS (
         SELECT user_id, min(since) AS since, bool_or(is_admin) AS is_admin
         FROM (
           SELECT user_id, created_at AS since, false AS is_admin FROM workspace_members
           WHERE account_id = $1 AND ($4::uuid IS NULL OR workspace_id = $4)
           UNION ALL
           SELECT creator_user_id, created_at, kind = 'management' AND NOT is_workspace_bound FROM api_keys
           WHERE account_id = $1 AND creator_user_id IS NOT NULL AND deleted_at IS NULL
             AND ($4::uuid IS NULL OR workspace_id = $4 AND (kind = 'inference' OR is_workspace_bound))
         ) AS known
         GROUP BY user_id
       )
       SELECT m.user_id, m.is_admin, c.total
       FROM (SELECT count(*)::int AS total FROM users) AS c
       LEFT JOIN LATERAL (SELECT * FROM users ORDER BY since DESC, user_id OFFSET $2 LIMIT $3) AS m ON true
       ORDER BY m.since DESC, m.user_id`,
      [accountId, page.offset, page.limit, boundTo ?? null],
    );
    const members = rows.flatMap(({ user_id: userId, is_admin: isAdmin }) =>
      userId === null ? [] : [{ userId, isAdmin }],
    );
    // Each reading finds all users: to begin behind one of them would save nothing.
    return [members, rows[0]?.total ?? 0, undefined];
  }
}
