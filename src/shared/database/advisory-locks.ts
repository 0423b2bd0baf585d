import type { EntityManager, QueryRunner } from 'typeorm';

/**
 * Every advisory lock of the schema, so that no two have one number. All are held to the end of their transaction,
 * never by a session: so they work behind pooling, and nobody who dies leaves one. `advisory-locks.spec.ts` holds the
 * code to this list.
 */
export const ADVISORY_LOCKS = {
  /**
   * Bringing the schema up to date. The same in every release, for replicas of different ones must exclude one another.
   */
  migration: 7_236_451_902,
  /** Making the account of an empty store. */
  opening: 4_721_001,
  /** Making the first keys, at each start. */
  firstKeys: 4_721_002,
  /** Making the partitions of a month; taken by a function of the database, which has the number in its text. */
  partitions: 4_721_003,
  /** Dropping what is past its time from the ledger: one replica at a time. */
  ledgerRetention: 4_721_004,
  /** Appending to the audit chain of an account. */
  auditChain: 4_721_005,
  /** Removing what is past its time from the audit log: one replica at a time. */
  auditRetention: 4_721_006,
  /** Counting and ordering the credentials of a workspace. */
  credentialOrder: 4_721_007,
  /** Changing the guardrails of an account, and the budgets that follow them. */
  guardrails: 4_721_009,
  /** Counting the containers of a key and giving one another state. */
  toolContainers: 4_721_010,
} as const;

export type AdvisoryLock = keyof typeof ADVISORY_LOCKS;

/** Whoever runs statements within a transaction. */
type Querying = Pick<EntityManager | QueryRunner, 'query'>;

/**
 * Waits for a lock and has it until the transaction ends. The transaction has to be of the level `READ COMMITTED`:
 * under a stricter one its snapshot would be older than the wait.
 * @param of the account, workspace or other thing that is locked; everything where it is left out
 */
export async function waitForLock(transaction: Querying, lock: AdvisoryLock, of?: string): Promise<void> {
  if (of === undefined) await transaction.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS[lock]]);
  else await transaction.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [ADVISORY_LOCKS[lock], of]);
}

/** Takes a lock until the transaction ends, unless somebody else has it. */
export async function tryLock(transaction: Querying, lock: AdvisoryLock): Promise<boolean> {
  const rows = (await transaction.query('SELECT pg_try_advisory_xact_lock($1) AS taken', [
    ADVISORY_LOCKS[lock],
  ])) as readonly { readonly taken: boolean }[];
  return rows[0]?.taken ?? false;
}
