import type { DataSource, EntityManager } from 'typeorm';
import { FIRST_HASH, hashEntry } from './audit-log.js';
import { findAnchor, listAccounts, listChain, type ChainLink, type StoredEntry } from './audit.repository.js';

/** Where a chain does not hold. Texts for an operator: nothing secret. */
export interface ChainBreak {
  readonly seq: number;
  /** Completes a sentence that begins with the entry. */
  readonly reason: string;
}

/** What a walk along the chain of one account found. */
export interface ChainReport {
  readonly accountId: string;
  /** Entries that hold: all of them, or those before the break. */
  readonly entries: number;
  /** The last that holds, or where the chain begins; its hash is what to keep elsewhere. */
  readonly last: ChainLink;
  /** The first; undefined where the chain is whole. */
  readonly broken: ChainBreak | undefined;
}

/** Entries that are in memory at a time. */
const PAGE_ENTRIES = 500;
const BEGINNING: ChainLink = { seq: 0, hash: FIRST_HASH };

/**
 * Walks the chain of every account from its beginning, or from where retention has cut it. All of it is read in one
 * snapshot and nothing is written, so it may run beside gateways at work. What it cannot know is whether entries
 * after the last are missing.
 * @param onReport gets one report for each account, as soon as there is one
 */
export async function verifyAudit(database: DataSource, onReport: (report: ChainReport) => void): Promise<void> {
  await database.transaction('REPEATABLE READ', async (manager) => {
    await manager.query(`SET TRANSACTION READ ONLY`);
    // For this transaction only: a role's own limits are meant for requests.
    await manager.query(`SET LOCAL statement_timeout = 0`);
    for (const accountId of await listAccounts(manager)) onReport(await walk(manager, accountId));
  });
}

async function walk(manager: EntityManager, accountId: string): Promise<ChainReport> {
  let last = (await findAnchor(manager, accountId)) ?? BEGINNING;
  let entries = 0;
  let page: readonly StoredEntry[];
  // The first page begins below any place: what stands before the beginning is a break as well.
  let after = Number.MIN_SAFE_INTEGER;
  do {
    page = await listChain(manager, accountId, after, PAGE_ENTRIES);
    for (const entry of page) {
      const broken = findBreak(entry, last);
      if (broken) return { accountId, entries, last, broken };
      last = entry;
      entries++;
    }
    after = last.seq;
  } while (page.length === PAGE_ENTRIES);
  return { accountId, entries, last: { seq: last.seq, hash: last.hash }, broken: undefined };
}

function findBreak(entry: StoredEntry, last: ChainLink): ChainBreak | undefined {
  const { seq } = entry;
  if (seq <= last.seq) return { seq, reason: `stands before the beginning of the chain, which is ${last.seq + 1}` };
  if (seq > last.seq + 1) return { seq: last.seq + 1, reason: `is missing: the next that is there is ${seq}` };
  if (entry.previousHash !== last.hash) return { seq, reason: 'does not follow the one before it: the hashes differ' };
  if (entry.hash !== hashEntry(entry)) return { seq, reason: 'is not as it was recorded: its hash is another' };
  return undefined;
}
