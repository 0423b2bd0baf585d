import { Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { WorkspaceEntity } from '../accounts/workspace.entity.js';
import type { Caller, Reach } from '../core/caller.js';
import { newUuid } from '../core/ids.js';
import { waitForLock } from '../shared/database/advisory-locks.js';
import { insertReturning, updateReturning } from '../shared/database/returned-rows.js';
import { listNewest, positionOfLast } from '../shared/database/newest-first.js';
import type { ListPart, Page, RowPosition } from '../shared/http/page.dto.js';
import { GuardrailEntity, type GuardrailTerms } from './guardrail.entity.js';

/** The subjects that a guardrail can be assigned to. */
export type SubjectKind = 'key' | 'member';

/** An assignment of a guardrail to a key or a member: `subject` is a hash or a user's id. */
export interface MemberAssignment {
  readonly id: string;
  readonly guardrailId: string;
  readonly subject: string;
  /** User of the key that assigned it. */
  readonly assignedBy: string | null;
  readonly createdAt: Date;
}

export interface KeyAssignment extends MemberAssignment {
  readonly keyName: string;
  readonly keyLabel: string;
}

interface AssignmentRow {
  id: string;
  guardrail_id: string;
  subject: string;
  assigned_by: string | null;
  created_at: Date;
  key_name: string;
  key_label: string;
}

/** A guardrail in force for a caller, and the kind of its assignment. */
export interface EffectiveGuardrail {
  readonly id: string;
  readonly through: SubjectKind | 'workspace';
}

/**
 * The subjects of guardrails with a limit: each has a separate budget. `$1` is the account, `$2` the guardrails' ids.
 */
const WANTED_BUDGETS = `
  SELECT g.id || ':' || s.kind || ':' || s.subject AS scope_id, coalesce(g.reset_interval, 'lifetime') AS interval, g.limit_usd,
    g.include_byok_in_budgets AS include_byok
  FROM guardrails g JOIN (
    SELECT guardrail_id, kind, subject FROM guardrail_assignments WHERE account_id = $1::uuid
    UNION ALL
    SELECT default_guardrail_id, 'workspace', id::text FROM workspaces
    WHERE account_id = $1::uuid AND default_guardrail_id IS NOT NULL AND deleted_at IS NULL
  ) s ON s.guardrail_id = g.id
  WHERE g.account_id = $1::uuid AND g.id = ANY($2::text[]::uuid[]) AND g.limit_usd IS NOT NULL`;

/** Condition on an assignment `a`. `$1` is the account, `$3` the workspace that the key is bound to, or null. */
const OF_REACHED_GUARDRAIL = `($3::uuid IS NULL OR EXISTS (
  SELECT 1 FROM guardrails g WHERE g.account_id = $1 AND g.id = a.guardrail_id AND g.workspace_id = $3))`;

/** The statements over `guardrails` and `guardrail_assignments`, and over the budgets that follow from them. */
@Injectable()
export class GuardrailsRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * Serialises the changes of one account's guardrails, so that assignments and the budgets that follow from them are
   * never a mixture of two changes. To be called first in the transaction of a change.
   */
  async lockAccount(manager: EntityManager, accountId: string): Promise<void> {
    await waitForLock(manager, 'guardrails', accountId);
  }

  /** Newest first, with the total number. */
  async list(accountId: string, page: Page, workspaceId: string | undefined): Promise<ListPart<GuardrailEntity>> {
    const where = { accountId, ...(workspaceId !== undefined && { workspaceId }) };
    const found = this.database.manager.createQueryBuilder(GuardrailEntity, 'guardrail').where(where);
    return listNewest(found, 'id', 'DESC', page);
  }

  async find(
    reach: Reach,
    id: string,
    manager: EntityManager = this.database.manager,
  ): Promise<GuardrailEntity | null> {
    return manager.findOneBy(GuardrailEntity, withinReach(reach, id));
  }

  /** The current guardrail, locked until the transaction ends: no workspace can make it its default meanwhile. */
  async lock(manager: EntityManager, reach: Reach, id: string): Promise<GuardrailEntity | null> {
    const where = withinReach(reach, id);
    return manager.findOne(GuardrailEntity, { where, lock: { mode: 'pessimistic_write' } });
  }

  /** Whether a key reaches each of these guardrails of its account. */
  async reachesAll(
    manager: EntityManager,
    { accountId, boundTo }: Reach,
    guardrailIds: readonly string[],
  ): Promise<boolean> {
    if (boundTo === undefined || guardrailIds.length === 0) return true;
    const where = { accountId, workspaceId: boundTo, id: In(guardrailIds) };
    return (await manager.countBy(GuardrailEntity, where)) === guardrailIds.length;
  }

  /**
   * Whether anything beyond the workspace that it is stored in depends on it: members, whose keys may be anywhere, keys
   * of another workspace, or another workspace.
   */
  async isInForceBeyond(manager: EntityManager, { accountId, id, workspaceId }: GuardrailEntity): Promise<boolean> {
    const [row] = await manager.query<{ beyond: boolean }[]>(
      `SELECT EXISTS (
         SELECT 1 FROM guardrail_assignments a
         LEFT JOIN api_keys k ON a.kind = 'key' AND k.account_id = a.account_id AND k.hash = a.subject::char(64)
         WHERE a.account_id = $1 AND a.guardrail_id = $2 AND (a.kind = 'member' OR k.workspace_id <> $3)
       ) OR EXISTS (
         SELECT 1 FROM workspaces WHERE account_id = $1 AND default_guardrail_id = $2 AND id <> $3 AND deleted_at IS NULL
       ) AS beyond`,
      [accountId, id, workspaceId],
    );
    return row!.beyond;
  }

  async count(manager: EntityManager, accountId: string): Promise<number> {
    return manager.countBy(GuardrailEntity, { accountId });
  }

  /** @returns the row as it is stored */
  async insert(manager: EntityManager, guardrail: GuardrailEntity): Promise<GuardrailEntity> {
    return insertReturning(manager, GuardrailEntity, guardrail);
  }

  /** @returns the row as it is stored now */
  async update(
    manager: EntityManager,
    { accountId, id }: GuardrailEntity,
    terms: Partial<GuardrailTerms> & Pick<GuardrailEntity, 'updatedAt'>,
  ): Promise<GuardrailEntity> {
    const [row] = await updateReturning(manager, GuardrailEntity, { accountId, id }, terms);
    return row!;
  }

  /** Deletes a guardrail and its remaining assignments. */
  async delete(manager: EntityManager, accountId: string, id: string): Promise<void> {
    await manager.query('DELETE FROM guardrails WHERE account_id = $1 AND id = $2', [accountId, id]);
  }

  /** The workspaces whose default it is, locked until the transaction ends. */
  async lockDefaultOf(manager: EntityManager, accountId: string, id: string): Promise<readonly WorkspaceEntity[]> {
    return manager
      .createQueryBuilder(WorkspaceEntity, 'workspace')
      .setLock('pessimistic_write')
      .where({ accountId, defaultGuardrailId: id, deletedAt: IsNull() })
      .orderBy('workspace.id')
      .getMany();
  }

  /** Removes it as a default. @returns the workspaces whose default it was, as they are stored now */
  async clearDefault(
    manager: EntityManager,
    accountId: string,
    id: string,
    updatedAt: Date,
  ): Promise<readonly WorkspaceEntity[]> {
    const where = { accountId, defaultGuardrailId: id, deletedAt: IsNull() };
    return updateReturning(manager, WorkspaceEntity, where, { defaultGuardrailId: null, updatedAt });
  }

  /** The assignments of these subjects to any guardrail. */
  async listAssigned(
    manager: EntityManager,
    accountId: string,
    kind: SubjectKind,
    subjects: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const rows = await manager.query<{ subject: string; guardrail_id: string }[]>(
      'SELECT subject, guardrail_id FROM guardrail_assignments WHERE account_id = $1 AND kind = $2 AND subject = ANY($3)',
      [accountId, kind, subjects],
    );
    return new Map(rows.map((row) => [row.subject, row.guardrail_id]));
  }

  /** Assigns, or moves from another guardrail: a moved assignment is a new one. @returns those assigned */
  async assign(
    manager: EntityManager,
    { accountId, userId }: Caller,
    guardrailId: string,
    kind: SubjectKind,
    subjects: readonly string[],
    at: Date,
  ): Promise<readonly string[]> {
    const rows = await manager.query<{ subject: string }[]>(
      `INSERT INTO guardrail_assignments (id, account_id, guardrail_id, kind, subject, assigned_by, created_at)
       SELECT a.id, $1::uuid, $2::uuid, $3, a.subject, $4, $5::timestamptz FROM unnest($6::uuid[], $7::text[]) AS a (id, subject)
       ON CONFLICT (account_id, kind, subject) DO UPDATE
         SET id = excluded.id, guardrail_id = excluded.guardrail_id, assigned_by = excluded.assigned_by,
           created_at = excluded.created_at
       RETURNING subject`,
      [accountId, guardrailId, kind, userId, at, subjects.map(() => newUuid(at.getTime())), subjects],
    );
    return rows.map(({ subject }) => subject);
  }

  /**
   * @param reach of a bound key: the keys of its workspace alone
   * @param subjects all assigned ones where absent
   * @returns those that were assigned
   */
  async unassign(
    manager: EntityManager,
    { accountId, boundTo }: Reach,
    guardrailId: string,
    kind: SubjectKind,
    subjects?: readonly string[],
  ): Promise<readonly string[]> {
    const [rows] = await manager.query<[{ subject: string }[], number]>(
      `DELETE FROM guardrail_assignments WHERE account_id = $1 AND guardrail_id = $2 AND kind = $3
         AND ($4::text[] IS NULL OR subject = ANY($4))
         AND ($5::uuid IS NULL OR subject IN (SELECT hash FROM api_keys WHERE account_id = $1 AND workspace_id = $5))
       RETURNING subject`,
      [accountId, guardrailId, kind, subjects ?? null, boundTo ?? null],
    );
    return rows.map(({ subject }) => subject);
  }

  /**
   * Assignments of keys that are not deleted, newest first, with the total number. Both the key and the guardrail are
   * within reach.
   * @param guardrailId of all guardrails where undefined
   */
  async listKeyAssignments(
    reach: Reach,
    guardrailId: string | undefined,
    page: Page,
  ): Promise<ListPart<KeyAssignment>> {
    const from = `
      FROM guardrail_assignments a JOIN api_keys k ON k.account_id = a.account_id AND k.hash = a.subject::char(64) AND k.deleted_at IS NULL
      WHERE a.account_id = $1 AND a.kind = 'key' AND ($2::uuid IS NULL OR a.guardrail_id = $2)
        AND ($3::uuid IS NULL OR k.workspace_id = $3) AND ${OF_REACHED_GUARDRAIL}`;
    const rows = await this.page(`a.*, k.name AS key_name, k.label AS key_label ${from}`, reach, guardrailId, page);
    return [
      rows.map((row) => ({ ...readAssignment(row), keyName: row.key_name, keyLabel: row.key_label })),
      page.after ? 0 : await this.total(from, reach, guardrailId),
      positionOfLast(rows, positionOfAssignment),
    ];
  }

  /** A page of the assignments to members. */
  async listMemberAssignments(
    reach: Reach,
    guardrailId: string | undefined,
    page: Page,
  ): Promise<ListPart<MemberAssignment>> {
    const from = `
      FROM guardrail_assignments a
      WHERE a.account_id = $1 AND a.kind = 'member' AND ($2::uuid IS NULL OR a.guardrail_id = $2)
        AND ${OF_REACHED_GUARDRAIL}`;
    const rows = await this.page(`a.* ${from}`, reach, guardrailId, page);
    const total = page.after ? 0 : await this.total(from, reach, guardrailId);
    return [rows.map(readAssignment), total, positionOfLast(rows, positionOfAssignment)];
  }

  /**
   * Updates the budgets of these guardrails to their terms and assignments, in a few statements however many there are.
   * The spending under a budget that stays is kept.
   */
  async followWithBudgets(manager: EntityManager, accountId: string, guardrailIds: readonly string[]): Promise<void> {
    await manager.query(
      `WITH wanted AS (${WANTED_BUDGETS})
       DELETE FROM budgets b WHERE b.account_id = $1::uuid AND b.scope = 'guardrail' AND split_part(b.scope_id, ':', 1) = ANY($2::text[])
         AND NOT EXISTS (SELECT 1 FROM wanted w WHERE w.scope_id = b.scope_id AND w.interval = b.interval)`,
      [accountId, guardrailIds],
    );
    await manager.query(
      `INSERT INTO budgets (account_id, scope, scope_id, interval, limit_usd, include_byok)
       SELECT $1::uuid, 'guardrail', w.scope_id, w.interval, w.limit_usd, w.include_byok FROM (${WANTED_BUDGETS}) w
       ON CONFLICT (scope, scope_id, interval) DO UPDATE
         SET limit_usd = excluded.limit_usd, include_byok = excluded.include_byok WHERE budgets.account_id = $1::uuid`,
      [accountId, guardrailIds],
    );
  }

  /** The guardrails of the account that are in force for any caller. */
  async listInForce(accountId: string): Promise<GuardrailEntity[]> {
    return this.database.manager
      .createQueryBuilder(GuardrailEntity, 'g')
      .where('g.account_id = :accountId', { accountId })
      .andWhere(
        `(EXISTS (SELECT 1 FROM guardrail_assignments a WHERE a.guardrail_id = g.id) OR EXISTS (
           SELECT 1 FROM workspaces w WHERE w.account_id = :accountId AND w.default_guardrail_id = g.id AND w.deleted_at IS NULL))`,
      )
      .getMany();
  }

  /** The guardrails in force for a caller: through the key first, then the member, then the workspace. */
  async listEffective({
    accountId,
    keyHash,
    userId,
    workspaceId,
  }: Omit<Caller, 'kind'>): Promise<readonly EffectiveGuardrail[]> {
    const rows = await this.database.query<(EffectiveGuardrail & { lacks_budget: boolean })[]>(
      `SELECT guardrail_id AS id, kind AS through, false AS lacks_budget FROM guardrail_assignments
       WHERE account_id = $1 AND (kind = 'key' AND subject = $2 OR kind = 'member' AND subject = $3)
       UNION ALL
       SELECT g.id, 'workspace', g.limit_usd IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM budgets b WHERE b.scope = 'guardrail' AND b.scope_id = g.id || ':workspace:' || w.id)
       FROM workspaces w JOIN guardrails g ON g.account_id = w.account_id AND g.id = w.default_guardrail_id
       WHERE w.account_id = $1 AND w.id = $4 AND w.deleted_at IS NULL
       ORDER BY through`,
      [accountId, keyHash, userId, workspaceId],
    );
    const lacking = rows.filter((row) => row.lacks_budget);
    for (const { id } of lacking) await this.addWorkspaceBudget(accountId, id, workspaceId);
    return rows.map(({ id, through }) => ({ id, through }));
  }

  /**
   * Sets the budget of a workspace whose default the guardrail has become since its terms last changed. The guardrail's
   * row is locked, so that budgets of its former terms never overwrite those of its new ones.
   */
  private async addWorkspaceBudget(accountId: string, guardrailId: string, workspaceId: string): Promise<void> {
    await this.database.query(
      `WITH terms AS (
         SELECT id, coalesce(reset_interval, 'lifetime') AS interval, limit_usd, include_byok_in_budgets FROM guardrails
         WHERE account_id = $1::uuid AND id = $2 AND limit_usd IS NOT NULL FOR SHARE
       )
       INSERT INTO budgets (account_id, scope, scope_id, interval, limit_usd, include_byok)
       SELECT $1::uuid, 'guardrail', id || ':workspace:' || $3::text, interval, limit_usd, include_byok_in_budgets FROM terms
       ON CONFLICT (scope, scope_id, interval) DO NOTHING`,
      [accountId, guardrailId, workspaceId],
    );
  }

  private async page(
    selection: string,
    { accountId, boundTo }: Reach,
    guardrailId: string | undefined,
    { offset, limit, after }: Page,
  ): Promise<AssignmentRow[]> {
    const behind = after ? 'AND (a.created_at, a.id) < ($6::timestamptz, $7::uuid)' : '';
    return this.database.query(
      `SELECT ${selection} ${behind} ORDER BY a.created_at DESC, a.id DESC OFFSET $4 LIMIT $5`,
      [
        accountId,
        guardrailId ?? null,
        boundTo ?? null,
        after ? 0 : offset,
        limit,
        ...(after ? [after.at, after.ids[0]] : []),
      ],
    );
  }

  private async total(from: string, { accountId, boundTo }: Reach, guardrailId: string | undefined): Promise<number> {
    const [row] = await this.database.query<{ total: string }[]>(`SELECT count(*) AS total ${from}`, [
      accountId,
      guardrailId ?? null,
      boundTo ?? null,
    ]);
    return Number(row!.total);
  }
}

const withinReach = ({ accountId, boundTo }: Reach, id: string): FindOptionsWhere<GuardrailEntity> => ({
  accountId,
  id,
  ...(boundTo !== undefined && { workspaceId: boundTo }),
});

const positionOfAssignment = ({ created_at: at, id }: AssignmentRow): RowPosition => ({ at, ids: [id] });

const readAssignment = (row: AssignmentRow): MemberAssignment => ({
  id: row.id,
  guardrailId: row.guardrail_id,
  subject: row.subject,
  assignedBy: row.assigned_by,
  createdAt: row.created_at,
});
