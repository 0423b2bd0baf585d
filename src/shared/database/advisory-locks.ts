import type { EntityManager, QueryRunner } from 'typeorm';

/**
 * Every advisory lock of the schema, so that no two share a number. All are held to the end of their transaction, never
 * by a session: so they work with pooling, and a process that dies leaves none. `advisory-locks.spec.ts` checks the
 * code against this list.
 */
export const ADVISORY_LOCKS = {
  /**
   * Migration of the schema. The same in every release, because replicas of different releases must exclude one
   * another.
   */
  migration: 7_236_451_902,
  /** Creating the account of an empty store. */
  opening: 4_721_001,
  /** Creating the first keys, at each start. */
  firstKeys: 4_721_002,
  /** Creating the partitions of a month; taken by a database function, whose text contains the number. */
  partitions: 4_721_003,
  /** Deleting expired rows from the ledger: one replica at a time. */
  ledgerRetention: 4_721_004,
  /** Appending to the audit chain of an account. */
  auditChain: 4_721_005,
  /** Deleting expired rows from the audit log: one replica at a time. */
  auditRetention: 4_721_006,
  /** Counting and ordering the credentials of a workspace. */
  credentialOrder: 4_721_007,
  /** Changing the guardrails of an account, and the budgets that depend on them. */
  guardrails: 4_721_009,
  /** Counting the containers of a key and changing the state of one. */
  toolContainers: 4_721_010,
  /** Writing the figures of hours and days: one replica at a time. */
  figures: 4_721_011,
  /**
   * Shared by transactions that post settlements, by a database function whose text contains the number. Taken alone,
   * it waits for those that began before.
   */
  postedSettlements: 4_721_012,
  /** Closing a month. Shared by transactions that enter credits: they date none into a month that is being closed. */
  monthEnd: 4_721_013,
  /** Counting the destinations of an account. */
  destinations: 4_721_041,
  /** Counting the alarms of an account. */
  alarms: 4_721_042,
  /** Counting the presets of a workspace, and numbering the versions of one. */
  presets: 4_721_043,
} as const;

export type AdvisoryLock = keyof typeof ADVISORY_LOCKS;

/** Runs statements within a transaction. */
type StatementRunner = Pick<EntityManager | QueryRunner, 'query'>;

/**
 * Waits for a lock and holds it until the transaction ends. The transaction must have the level `READ COMMITTED`: under
 * a stricter one its snapshot would be older than the wait.
 * @param of the account, workspace or other object to lock; absent: everything
 */
export async function waitForLock(transaction: StatementRunner, lock: AdvisoryLock, of?: string): Promise<void> {
  if (of === undefined) await transaction.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS[lock]]);
  else await transaction.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [ADVISORY_LOCKS[lock], of]);
}

/** `waitForLock` for a lock that several transactions may share. */
export async function waitForSharedLock(transaction: StatementRunner, lock: AdvisoryLock): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock_shared($1)', [ADVISORY_LOCKS[lock]]);
}

/** Takes a lock until the transaction ends, unless another transaction holds it. */
export async function tryLock(transaction: StatementRunner, lock: AdvisoryLock): Promise<boolean> {
  const rows = (await transaction.query('SELECT pg_try_advisory_xact_lock($1) AS taken', [
    ADVISORY_LOCKS[lock],
  ])) as readonly { readonly taken: boolean }[];
  return rows[0]?.taken ?? false;
}
