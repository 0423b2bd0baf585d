import { Injectable } from '@nestjs/common';
import type { RuledCaller } from '../core/caller.js';
import { Clock } from '../core/time.js';
import { Statements } from '../shared/database/statements.js';
import type { SealedBytes } from '../vault/seal-ring.js';
import type { KeptKind, KeptState } from './kept-reply.entity.js';

/** How long a process that runs a request may be silent before it counts as dead, in milliseconds. Chosen. */
export const LEASE_MS = 6_000;
/** Replies that one statement lists. */
const LISTED_MAX = 1_000;

/** Names a reply: unique for each key and kind. */
export interface ReplyName {
  readonly keyHash: string;
  readonly kind: KeptKind;
  /** SHA-256, hex. */
  readonly name: string;
}

/** A row with its name. */
export interface NamedRow extends ReplyName {
  readonly id: string;
}

export interface NewClaim extends ReplyName {
  readonly id: string;
  readonly accountId: string;
  readonly fingerprint: string;
  readonly generationId: string | undefined;
  readonly isKept: boolean;
  readonly resumable: boolean;
  readonly owner: string;
  /** Milliseconds from now. */
  readonly ttlMs: number;
}

/** A claim as it is stored. */
export interface StoredClaim {
  readonly id: string;
  readonly fingerprint: string;
  readonly generationId: string | null;
  readonly state: KeptState;
  readonly head: SealedBytes | undefined;
  readonly parts: number;
  readonly createdAt: Date;
  /** Milliseconds ago; null: it has not ended. */
  readonly endedMsAgo: number | null;
  /** Milliseconds until it is removed. */
  readonly expiresInMs: number;
  /** Whether the lease of the process that writes the reply has expired. */
  readonly isOverdue: boolean;
}

/** A stored claim, with what was read in the same statement. */
export interface StoredReply extends StoredClaim {
  /** All parts of one that is complete; undefined: it is not. */
  readonly contents: readonly StoredPart[] | undefined;
}

export interface StoredPart extends SealedBytes {
  readonly replyId: string;
  readonly number: number;
}

/** The part of a reply that its process has written since its last statement. */
export interface WrittenState {
  readonly id: string;
  readonly generationId: string | undefined;
  readonly state: Extract<KeptState, 'running' | 'kept' | 'dropped'>;
  readonly head: SealedBytes | undefined;
  /** The number of all its parts. */
  readonly parts: number;
  readonly ended: boolean;
  /** Milliseconds from now; undefined: as it was. */
  readonly ttlMs: number | undefined;
}

interface ClaimRow extends Omit<StoredClaim, 'head' | 'endedMsAgo' | 'expiresInMs'> {
  readonly dataKey: string | null;
  readonly sealedHead: Uint8Array | null;
  readonly endedMsAgo: string | null;
  readonly expiresInMs: string;
}

interface PartRow {
  readonly partNumber: number | null;
  readonly partKey: string;
  readonly partSealed: Uint8Array;
}

const COLUMNS = `r.id, r.fingerprint, r.generation_id AS "generationId", r.state, r.data_key AS "dataKey",
  r.head AS "sealedHead", r.parts, r.created_at AS "createdAt",
  extract(epoch FROM now() - r.ended_at) * 1000 AS "endedMsAgo",
  extract(epoch FROM r.expires_at - now()) * 1000 AS "expiresInMs",
  r.state = 'running' AND r.leased_until < now() AS "isOverdue"`;

/** Written, being written, or cut off by the death of its process. */
const HAS_CONTENTS = `state <> 'dropped' AND (state <> 'lost' OR head IS NOT NULL)`;
const NAMED = `id, key_hash AS "keyHash", kind, name`;

/**
 * The statements over `kept_replies` and `kept_reply_parts`. Times are those of the database; the ends of lives are
 * moved as far as the clock of this process is.
 */
@Injectable()
export class KeptRepliesRepository {
  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
  ) {}

  /** @returns its time; undefined where there is a claim of that name */
  async claim(claim: NewClaim): Promise<Date | undefined> {
    const { id, accountId, keyHash, kind, name, fingerprint, generationId, isKept, resumable, owner, ttlMs } = claim;
    const [row] = await this.statements.run<Pick<ClaimRow, 'createdAt'>>(
      `INSERT INTO kept_replies (id, account_id, key_hash, kind, name, fingerprint, generation_id, state, resumable, owner,
         leased_until, parts, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + $11 * interval '1 ms', 0, now(),
         now() + $12::float8 * interval '1 ms')
       ON CONFLICT (key_hash, kind, name) DO NOTHING RETURNING created_at AS "createdAt"`,
      [
        id,
        accountId,
        keyHash,
        kind,
        name,
        fingerprint,
        generationId ?? null,
        isKept ? 'running' : 'dropped',
        resumable,
        owner,
        LEASE_MS,
        ttlMs + this.clock.aheadMs,
      ],
    );
    return row && new Date(row.createdAt);
  }

  /** A reply past its time is removed, and not found. */
  async find({ keyHash, kind, name }: ReplyName): Promise<StoredReply | undefined> {
    const rows = await this.statements.run<ClaimRow & PartRow>(
      `SELECT ${COLUMNS}, p.number AS "partNumber", p.data_key AS "partKey", p.sealed AS "partSealed"
       FROM kept_replies r LEFT JOIN kept_reply_parts p ON p.reply_id = r.id AND r.state = 'kept'
       WHERE r.key_hash = $1 AND r.kind = $2 AND r.name = $3 ORDER BY p.number`,
      [keyHash, kind, name],
    );
    const [row] = rows;
    if (!row) return undefined;
    const claim = this.asClaim(row);
    if (claim.expiresInMs > 0) return { ...claim, contents: claim.state === 'kept' ? rows.flatMap(partOf) : undefined };
    await this.remove([claim.id]);
    return undefined;
  }

  /** Finds a stream that this key can resume. */
  async findStream(keyHash: string, generationId: string): Promise<StoredClaim | undefined> {
    const [row] = await this.statements.run<ClaimRow>(
      `SELECT ${COLUMNS} FROM kept_replies r
       WHERE r.generation_id = $1 AND r.resumable AND r.key_hash = $2 AND r.expires_at > now() + $3 * interval '1 ms'`,
      [generationId, keyHash, this.clock.aheadMs],
    );
    return row && this.asClaim(row);
  }

  async list(ids: readonly string[]): Promise<readonly StoredClaim[]> {
    const rows = await this.statements.run<ClaimRow>(
      `SELECT ${COLUMNS} FROM kept_replies r WHERE r.id = ANY($1::uuid[])`,
      [ids],
    );
    return rows.map((row) => this.asClaim(row));
  }

  /** Parts from the given number of each reply on, in their order. */
  async partsFrom(from: readonly { readonly id: string; readonly number: number }[]): Promise<readonly StoredPart[]> {
    const rows = await this.statements.run<StoredPart>(
      `SELECT p.reply_id AS "replyId", p.number, p.data_key AS "keyId", p.sealed
       FROM unnest($1::uuid[], $2::int[]) AS wanted (id, number)
       JOIN kept_reply_parts p ON p.reply_id = wanted.id AND p.number >= wanted.number
       ORDER BY p.reply_id, p.number`,
      [from.map(({ id }) => id), from.map(({ number }) => number)],
    );
    return rows.map((row) => ({ ...row, sealed: Buffer.from(row.sealed) }));
  }

  /**
   * Writes the states of replies that this process runs, renews their leases, and appends their new parts.
   * What was dropped, here or elsewhere, stays so.
   * @returns the states of those that are still its own, by their ids: others were taken for lost, or removed
   */
  async write(
    owner: string,
    states: readonly WrittenState[],
    parts: readonly StoredPart[],
  ): Promise<ReadonlyMap<string, KeptState>> {
    const column = <T>(read: (state: WrittenState) => T): T[] => states.map(read);
    const rows = await this.statements.run<{ readonly id: string; readonly state: KeptState }>(
      `WITH written AS (
         UPDATE kept_replies r SET
           generation_id = coalesce(w.generation_id, r.generation_id),
           state = CASE WHEN r.state = 'dropped' THEN r.state ELSE w.state END, data_key = coalesce(w.data_key, r.data_key),
           head = CASE WHEN 'dropped' NOT IN (r.state, w.state) THEN coalesce(decode(w.head, 'base64'), r.head) END,
           parts = w.parts, leased_until = now() + $2 * interval '1 ms',
           ended_at = CASE WHEN w.ended THEN coalesce(r.ended_at, now()) END,
           expires_at = coalesce(now() + w.lives_ms * interval '1 ms', r.expires_at)
         FROM unnest($3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::int[], $9::bool[], $10::float8[])
           AS w (id, generation_id, state, data_key, head, parts, ended, lives_ms)
         WHERE r.id = w.id AND r.owner = $1 AND r.state IN ('running', 'dropped')
         RETURNING r.id, r.state
       ), added AS (
         INSERT INTO kept_reply_parts (reply_id, number, data_key, sealed)
         SELECT p.id, p.number, p.data_key, decode(p.sealed, 'base64')
         FROM unnest($11::uuid[], $12::int[], $13::uuid[], $14::text[]) AS p (id, number, data_key, sealed)
         JOIN written ON written.id = p.id AND written.state <> 'dropped'
         ON CONFLICT (reply_id, number) DO NOTHING
       ), emptied AS (
         DELETE FROM kept_reply_parts p USING written WHERE p.reply_id = written.id AND written.state = 'dropped'
       )
       SELECT id, state FROM written`,
      [
        owner,
        LEASE_MS,
        column(({ id }) => id),
        column(({ generationId }) => generationId ?? null),
        column(({ state }) => state),
        column(({ head }) => head?.keyId ?? null),
        column(({ head }) => head?.sealed.toString('base64') ?? null),
        column(({ parts: count }) => count),
        column(({ ended }) => ended),
        column(({ ttlMs }) => (ttlMs === undefined ? null : ttlMs + this.clock.aheadMs)),
        parts.map(({ replyId }) => replyId),
        parts.map(({ number }) => number),
        parts.map(({ keyId }) => keyId),
        parts.map(({ sealed }) => sealed.toString('base64')),
      ],
    );
    return new Map(rows.map(({ id, state }) => [id, state]));
  }

  /** Marks a reply whose owner has died as lost. @returns false if the owner has written since */
  async markLost(id: string): Promise<boolean> {
    const rows = await this.statements.run(
      `UPDATE kept_replies SET state = 'lost', ended_at = now()
       WHERE id = $1 AND state = 'running' AND leased_until < now() RETURNING id`,
      [id],
    );
    return rows.length > 0;
  }

  /** Drops the contents of replies, be it that another process still writes them. */
  async drop(ids: readonly string[]): Promise<void> {
    await this.statements.run(
      `WITH dropped AS (
         UPDATE kept_replies SET state = CASE state WHEN 'lost' THEN state ELSE 'dropped' END, head = NULL
         WHERE id = ANY($1::uuid[]) AND state <> 'dropped' RETURNING id
       )
       DELETE FROM kept_reply_parts p USING dropped WHERE p.reply_id = dropped.id`,
      [ids],
    );
  }

  /** The keys that have replies with contents, written or being written. Reads one entry of the index for each key. */
  listCallers(): Promise<readonly RuledCaller[]> {
    return this.statements.run<RuledCaller>(
      `WITH RECURSIVE named (hash) AS (
         SELECT min(key_hash) FROM kept_replies WHERE ${HAS_CONTENTS}
         UNION ALL
         SELECT (SELECT min(r.key_hash) FROM kept_replies r WHERE ${HAS_CONTENTS} AND r.key_hash > named.hash)
         FROM named
         WHERE named.hash IS NOT NULL
       )
       SELECT k.account_id AS "accountId", k.workspace_id AS "workspaceId", k.hash AS "keyHash", k.creator_user_id AS "userId"
       FROM named JOIN api_keys k ON k.hash = named.hash`,
    );
  }

  /** Some of the replies of a key that have contents, written or being written; empty: it has none. */
  listOf(keyHash: string): Promise<readonly NamedRow[]> {
    return this.statements.run<NamedRow>(
      `SELECT ${NAMED} FROM kept_replies WHERE key_hash = $1 AND ${HAS_CONTENTS} LIMIT ${LISTED_MAX}`,
      [keyHash],
    );
  }

  listNamed(ids: readonly string[]): Promise<readonly NamedRow[]> {
    return this.statements.run<NamedRow>(`SELECT ${NAMED} FROM kept_replies WHERE id = ANY($1::uuid[])`, [ids]);
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.statements.run('DELETE FROM kept_replies WHERE id = ANY($1::uuid[])', [ids]);
  }

  async removeNamed({ keyHash, kind, name }: ReplyName): Promise<void> {
    await this.statements.run('DELETE FROM kept_replies WHERE key_hash = $1 AND kind = $2 AND name = $3', [
      keyHash,
      kind,
      name,
    ]);
  }

  private asClaim({ dataKey, sealedHead, endedMsAgo, expiresInMs, ...row }: ClaimRow): StoredClaim {
    const { id, fingerprint, generationId, state, parts, createdAt, isOverdue } = row;
    return {
      id,
      fingerprint,
      generationId,
      state,
      parts,
      isOverdue,
      createdAt: new Date(createdAt),
      head: dataKey !== null && sealedHead ? { keyId: dataKey, sealed: Buffer.from(sealedHead) } : undefined,
      endedMsAgo: endedMsAgo === null ? null : Number(endedMsAgo),
      expiresInMs: Number(expiresInMs) - this.clock.aheadMs,
    };
  }
}

function partOf({ id, partNumber, partKey, partSealed }: ClaimRow & PartRow): StoredPart[] {
  if (partNumber === null) return [];
  return [{ replyId: id, number: partNumber, keyId: partKey, sealed: Buffer.from(partSealed) }];
}
