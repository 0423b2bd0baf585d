import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Reach } from '../core/caller.js';
import { Clock } from '../core/time.js';
import { tryLock } from '../shared/database/advisory-locks.js';
import { BY_SESSION, type AuditEntry } from './audit-log.js';
import type { CoveredAnchor, Seal } from './audit-seal.js';
import { AuditSeals } from './audit-seals.js';

/** An entry and its hash, as they are stored. */
export interface StoredEntry extends AuditEntry {
  /** Lowercase hex. */
  readonly hash: string;
  /** Undefined where the entry is from before there were seals. */
  readonly seal: Seal | undefined;
}

/** A filter of entries: each given field must be equal. */
export interface AuditFilter {
  readonly action: string | undefined;
  readonly target: string | undefined;
  /** Hash of a key, or `operator`. */
  readonly actor: string | undefined;
  readonly workspaceId: string | undefined;
}

/** A point of a chain: a position in it, and the hash there. */
export interface ChainLink {
  readonly seq: number;
  readonly hash: string;
}

/** The end of the removed part of the chain, from which the chain continues. */
export interface StoredAnchor extends CoveredAnchor {
  /** Undefined where it is from before there were seals. */
  readonly seal: Seal | undefined;
}

/** The result of a removal. */
export interface RemovedMonth {
  /** Start of the removed month. */
  readonly first: Date;
  readonly entries: number;
}

interface EntryRow {
  readonly account_id: string;
  readonly seq: string;
  readonly at: Date;
  readonly actor: string;
  readonly actor_user: string | null;
  readonly action: string;
  readonly target: string;
  readonly workspace_id: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly previous_hash: string;
  readonly hash: string;
  readonly seal: string | null;
  readonly seal_key: string | null;
}

interface OldestRow {
  readonly first: Date;
  readonly next: Date;
}

const COLUMNS =
  'account_id, seq, at, actor, actor_user, action, target, workspace_id, before, after, previous_hash, hash, seal, seal_key';

/** Kinds of things that a bound key may read. */
const BOUND_KINDS = ['api_key', 'byok', 'guardrail', 'workspace'];

/** The statements over `audit_entries` and `audit_anchors`, except for the one that appends. */
@Injectable()
export class AuditRepository {
  constructor(
    private readonly database: DataSource,
    private readonly seals: AuditSeals,
    private readonly clock: Clock,
  ) {}

  /**
   * Newest first. To a bound key those of things that it may read: none of destinations, nor of management keys of the
   * account that are stored in its workspace.
   * @param before only entries below this position in the chain; all where undefined
   */
  async list(
    { accountId, boundTo }: Reach,
    filter: AuditFilter,
    before: number | undefined,
    limit: number,
  ): Promise<readonly StoredEntry[]> {
    const { action, target, actor, workspaceId } = filter;
    const rows = await this.database.query<EntryRow[]>(
      `SELECT ${COLUMNS} FROM audit_entries
       WHERE account_id = $1 AND seq < $2
         AND ($3::text IS NULL OR action = $3) AND ($4::text IS NULL OR target = $4)
         AND ($5::text IS NULL OR actor IN ($5, '${BY_SESSION}' || $5)) AND ($6::uuid IS NULL OR workspace_id = $6)
         AND ($8::uuid IS NULL OR workspace_id = $8 AND split_part(action, '.', 1) = ANY($9::text[]) AND NOT EXISTS (
           SELECT 1 FROM api_keys k
           WHERE k.account_id = $1 AND k.hash = target::char(64) AND k.kind = 'management' AND NOT k.is_workspace_bound))
       ORDER BY seq DESC LIMIT $7`,
      [
        accountId,
        before ?? Number.MAX_SAFE_INTEGER,
        action ?? null,
        target ?? null,
        actor ?? null,
        workspaceId ?? null,
        limit,
        boundTo ?? null,
        BOUND_KINDS,
      ],
    );
    return rows.map(readEntry);
  }

  async listAccounts(): Promise<readonly string[]> {
    return listAccounts(this.database.manager);
  }

  /**
   * Removes the oldest month of an account's entries, if it ended longer ago than that by the database's clock: all of
   * it or nothing. The end of the removed part is stored as the chain's anchor. Any number of replicas may call it at
   * once: one of them removes. The seals must be prepared.
   * @returns undefined when there is nothing to remove, or another replica is doing it
   */
  async removeOldestMonth(accountId: string, days: number): Promise<RemovedMonth | undefined> {
    // Under a stricter level the snapshot would be older than the lock.
    return this.database.transaction('READ COMMITTED', async (manager) => {
      // For this transaction only: the time limit of the role is meant for requests.
      await manager.query(`SET LOCAL statement_timeout = 0`);
      if (!(await tryLock(manager, 'auditRetention'))) return undefined;
      const [oldest] = await manager.query<OldestRow[]>(
        `SELECT month.first, month.next
         FROM (SELECT at FROM audit_entries WHERE account_id = $1 ORDER BY seq LIMIT 1) AS oldest
         CROSS JOIN LATERAL (SELECT date_trunc('month', at AT TIME ZONE 'UTC') AS day) AS name
         CROSS JOIN LATERAL (SELECT day AT TIME ZONE 'UTC' AS first, (day + interval '1 month') AT TIME ZONE 'UTC' AS next) AS month
         WHERE month.next <= clock_timestamp() + $3 * interval '1 millisecond' - $2 * interval '24 hours'`,
        [accountId, days, this.clock.aheadMs],
      );
      if (!oldest) return undefined;
      // The chain is cut at one entry: clocks of replicas differ, so near the turn of a month its times may not be
      // monotonic.
      const [last] = await manager.query<Pick<EntryRow, 'seq' | 'hash' | 'seal'>[]>(
        `SELECT seq, hash, seal FROM audit_entries
         WHERE account_id = $1 AND seq < coalesce(
           (SELECT seq FROM audit_entries WHERE account_id = $1 AND at >= $2 ORDER BY seq LIMIT 1), 9223372036854775807)
         ORDER BY seq DESC LIMIT 1`,
        [accountId, oldest.next],
      );
      if (!last) return undefined;
      const anchor = { accountId, seq: Number(last.seq), hash: last.hash, wasSealed: last.seal !== null };
      await replaceAnchor(manager, anchor, (await this.seals.current(manager)).ofAnchor(anchor));
      await manager.query(`SELECT set_config('fairlead.audit_retention', 'on', true)`);
      const [removed] = await manager.query<{ entries: number }[]>(
        `WITH removed AS (DELETE FROM audit_entries WHERE account_id = $1 AND seq <= $2 RETURNING seq)
         SELECT count(*)::int AS entries FROM removed`,
        [accountId, anchor.seq],
      );
      return { first: oldest.first, entries: removed?.entries ?? 0 };
    });
  }
}

/** Every account, whether it has entries or not. */
export async function listAccounts(manager: EntityManager): Promise<readonly string[]> {
  const rows = await manager.query<{ id: string }[]>(`SELECT id FROM accounts ORDER BY id`);
  return rows.map(({ id }) => id);
}

async function replaceAnchor(
  manager: EntityManager,
  { accountId, seq, hash, wasSealed }: CoveredAnchor,
  { seal, sealKey }: Seal,
): Promise<void> {
  await manager.query(
    `INSERT INTO audit_anchors (account_id, seq, hash, was_sealed, seal, seal_key) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (account_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash,
       was_sealed = excluded.was_sealed, seal = excluded.seal, seal_key = excluded.seal_key`,
    [accountId, seq, hash, wasSealed, seal, sealKey],
  );
}

/** The anchor of an account's removed entries; undefined where none were removed. */
export async function findAnchor(manager: EntityManager, accountId: string): Promise<StoredAnchor | undefined> {
  const [row] = await manager.query<(Pick<EntryRow, 'seq' | 'hash' | 'seal' | 'seal_key'> & { was_sealed: boolean })[]>(
    `SELECT seq, hash, was_sealed, seal, seal_key FROM audit_anchors WHERE account_id = $1`,
    [accountId],
  );
  return row && { accountId, seq: Number(row.seq), hash: row.hash, wasSealed: row.was_sealed, seal: readSeal(row) };
}

/** Entries in the order of the chain, those above `after`. */
export async function listChain(
  manager: EntityManager,
  accountId: string,
  after: number,
  limit: number,
): Promise<readonly StoredEntry[]> {
  const rows = await manager.query<EntryRow[]>(
    `SELECT ${COLUMNS} FROM audit_entries WHERE account_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    [accountId, after, limit],
  );
  return rows.map(readEntry);
}

function readEntry(row: EntryRow): StoredEntry {
  return {
    accountId: row.account_id,
    seq: Number(row.seq),
    at: row.at.toISOString(),
    actor: row.actor,
    actorUser: row.actor_user,
    action: row.action,
    target: row.target,
    workspaceId: row.workspace_id,
    before: row.before,
    after: row.after,
    previousHash: row.previous_hash,
    hash: row.hash,
    seal: readSeal(row),
  };
}

const readSeal = ({ seal, seal_key: sealKey }: Pick<EntryRow, 'seal' | 'seal_key'>): Seal | undefined =>
  seal === null || sealKey === null ? undefined : { seal, sealKey };
