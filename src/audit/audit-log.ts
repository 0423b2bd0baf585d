import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../core/caller.js';
import { Clock } from '../core/time.js';
import { batches } from '../shared/queues/batches.js';
import { ADVISORY_LOCKS } from '../shared/database/advisory-locks.js';
import type { Seal, Sealer } from './audit-seal.js';
import { AuditSeals } from './audit-seals.js';

/**
 * The author of a change: the key that was used, itself or by a session of the console; the person who signed in there
 * by an issuer; or the operator by the variables of the process.
 */
export type AuditActor = Pick<Caller, 'accountId' | 'boundTo' | 'keyHash' | 'userId' | 'sessionId' | 'person'>;

/** Prefix of the actor of a change that a console session made. */
export const BY_SESSION = 'session:';

/** The actor in the form that is stored and that the hash of the entry covers. No issuer has a space. */
function storedActor({ keyHash, sessionId, person }: AuditActor): string {
  const author = person ? `oidc:${person.issuer} ${person.subject}` : keyHash;
  return sessionId === undefined ? author : BY_SESSION + author;
}

/** The user of the actor: the user of the key, or the name of the person. */
const storedUser = ({ userId, person }: AuditActor): string | null => person?.name ?? userId;

/** The operator, who changes something by the variables of the process. */
export const operatorOf = (accountId: string): AuditActor => ({ accountId, keyHash: 'operator', userId: null });

/** One change of a managed resource. */
export interface AuditChange {
  /** Kind of resource and verb: `api_key.create`. */
  readonly action: string;
  /** Id of the resource. */
  readonly target: string;
  readonly workspaceId?: string | undefined;
  /** The resource as the API shows it, before and after; absent where it did not or does not exist. Never a secret. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

/** An entry as it is stored: what its hash covers. */
export interface AuditEntry {
  readonly accountId: string;
  /** Position in the account's chain: 1 for the first; without gaps. */
  readonly seq: number;
  /** ISO 8601, milliseconds. */
  readonly at: string;
  readonly actor: string;
  readonly actorUser: string | null;
  readonly action: string;
  readonly target: string;
  readonly workspaceId: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly previousHash: string;
}

/** Hash before the first entry of an account. */
export const FIRST_HASH = '0'.repeat(64);

/** Lowercase SHA-256 hex over all of an entry and the hash before it. */
export function hashEntry(entry: AuditEntry): string {
  const { accountId, seq, at, actor, actorUser, action, target, workspaceId, before, after, previousHash } = entry;
  const covered = [previousHash, accountId, seq, at, actor, actorUser, action, target, workspaceId, before, after];
  return createHash('sha256').update(JSON.stringify(covered)).digest('hex');
}

/** The end of the log after a change. */
export interface NewestEntry extends Seal {
  /** Entries of the change. */
  readonly entries: number;
  readonly seq: number;
  readonly action: string;
}

/** The log of management changes: append-only, each entry chained to the one before it, and sealed. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly clock: Clock,
    private readonly seals: AuditSeals,
  ) {}

  /**
   * Loads the key to seal with. Never within a transaction, because it may call a key service.
   * @throws GatewayError `service-unavailable` when it does not answer
   */
  async prepare(): Promise<void> {
    await this.seals.prepare();
  }

  /**
   * Appends entries, in their order, in the transaction of the change that they record: all are stored, or none is.
   * Until the transaction ends, no other appends entries of the account. So after this call the transaction must not
   * wait for a lock that another change may have. Needs the level `READ COMMITTED`.
   * @returns the last of them; undefined where nothing changed
   * @throws SealKeyNeeded before anything is locked: call `prepare`, and begin the transaction again
   */
  async record(
    manager: EntityManager,
    actor: AuditActor,
    changes: readonly AuditChange[],
  ): Promise<NewestEntry | undefined> {
    if (changes.length === 0) return undefined;
    const { accountId } = actor;
    const sealer = await this.seals.current(manager);
    // The account's row is locked first, because the entry refers to it: a change that has it locked records before or
    // after this one.
    await manager.query(
      `WITH account AS MATERIALIZED (SELECT id FROM accounts WHERE id = $2 FOR KEY SHARE)
       SELECT pg_advisory_xact_lock($1, hashtext(id::text)) FROM account`,
      [ADVISORY_LOCKS.auditChain, accountId],
    );
    // A separate statement: it sees what was committed while the lock was waited for.
    const [last] = await manager.query<{ seq: string; hash: string }[]>(
      `SELECT seq, hash FROM audit_entries WHERE account_id = $1
       UNION ALL SELECT seq, hash FROM audit_anchors WHERE account_id = $1
       ORDER BY seq DESC LIMIT 1`,
      [accountId],
    );
    const at = new Date(this.clock.now()).toISOString();
    let previous: Pick<SealedEntry, 'seq' | 'hash'> = {
      seq: last ? Number(last.seq) : 0,
      hash: last?.hash ?? FIRST_HASH,
    };
    let newest: SealedEntry | undefined;
    // Hashed batch by batch: other work can run between the statements.
    for (const batch of batches(changes, BATCH_MAX)) {
      const entries = chain(actor, batch, at, previous, sealer);
      await insert(manager, actor, entries);
      previous = newest = entries.at(-1)!;
    }
    const { seq, action, seal, sealKey } = newest!;
    return { entries: changes.length, seq, action, seal, sealKey };
  }
}

/** Entries in one statement: some milliseconds of work. */
const BATCH_MAX = 200;

type SealedEntry = AuditEntry & Seal & { readonly hash: string };

/** The entries of these changes, each chained to the one before it. */
function chain(
  author: AuditActor,
  changes: readonly AuditChange[],
  at: string,
  last: Pick<SealedEntry, 'seq' | 'hash'>,
  sealer: Sealer,
): readonly SealedEntry[] {
  const { accountId } = author;
  const actor = storedActor(author);
  let previous = last;
  return changes.map((change) => {
    const entry: AuditEntry = {
      accountId,
      seq: previous.seq + 1,
      at,
      actor,
      actorUser: storedUser(author),
      action: change.action,
      target: change.target,
      // The database prints UUIDs in lower case, and verification hashes what it reads from the database.
      workspaceId: change.workspaceId?.toLowerCase() ?? null,
      before: change.before ? JSON.stringify(change.before) : null,
      after: change.after ? JSON.stringify(change.after) : null,
      previousHash: previous.hash,
    };
    const hash = hashEntry(entry);
    const sealed = { ...entry, hash, ...sealer.ofEntry(hash) };
    previous = sealed;
    return sealed;
  });
}

async function insert(manager: EntityManager, author: AuditActor, entries: readonly SealedEntry[]): Promise<void> {
  const column = <Name extends keyof SealedEntry>(name: Name): SealedEntry[Name][] =>
    entries.map((entry) => entry[name]);
  await manager.query(
    `INSERT INTO audit_entries
       (account_id, actor, actor_user, seq, at, action, target, workspace_id, before, after, previous_hash, hash,
        seal, seal_key)
     SELECT $1::uuid, $2::text, $3::text, e.* FROM unnest(
       $4::bigint[], $5::timestamptz[], $6::text[], $7::text[], $8::uuid[], $9::text[], $10::text[], $11::text[], $12::text[],
       $13::text[], $14::uuid[]
     ) AS e`,
    [
      author.accountId,
      storedActor(author),
      storedUser(author),
      column('seq'),
      column('at'),
      column('action'),
      column('target'),
      column('workspaceId'),
      column('before'),
      column('after'),
      column('previousHash'),
      column('hash'),
      column('seal'),
      column('sealKey'),
    ],
  );
}
