import type { DataSource, EntityManager } from 'typeorm';
import { DataKeys } from '../vault/data-keys.js';
import { Undecryptable } from '../vault/key-service.js';
import { FIRST_HASH, hashEntry } from './audit-log.js';
import { isSameSeal, Sealer, type Seal } from './audit-seal.js';
import { findAnchor, listAccounts, listChain, type ChainLink, type StoredEntry } from './audit.repository.js';

/** The position at which a chain is broken. Texts for an operator: nothing secret. */
export interface ChainBreak {
  readonly seq: number;
  /** Completes a sentence that begins with the entry. */
  readonly reason: string;
}

/** The result of checking the chain of one account. */
export interface ChainReport {
  readonly accountId: string;
  /** Valid entries: all of them, or those before the break. */
  readonly entries: number;
  /** Number of entries, with the anchor before them, that have no seal because they are from before there were any. */
  readonly unsealed: number;
  /** Number of entries, with the anchor, whose seal could not be checked because its key is unavailable. */
  readonly unchecked: number;
  /** The last valid entry, or the beginning of the chain; its hash is what to store elsewhere. */
  readonly last: ChainLink;
  /** The last seal. */
  readonly lastSeal: Seal | undefined;
  /** Position of the entry with the requested seal; undefined where none has it. */
  readonly newestAt: number | undefined;
  /** The first break; undefined where the chain is whole. */
  readonly broken: ChainBreak | undefined;
}

export interface VerifyOptions {
  /** Opens the keys of seals; if absent, seals are not checked. */
  readonly keys?: DataKeys | undefined;
  /** A seal from the operator's log, lowercase hex: some account's chain must have it. */
  readonly newest?: string | undefined;
  /** Gets one report for each account, as soon as it is complete. */
  readonly onReport: (report: ChainReport) => void;
}

/** Entries that are in memory at a time. */
const PAGE_ENTRIES = 500;
const BEGINNING: ChainLink = { seq: 0, hash: FIRST_HASH };

/**
 * Checks the chain of every account from its beginning, or from its anchor. Everything is read in one snapshot and
 * nothing is written, so it may run beside working gateways. Missing entries at the end are detected only with a given
 * seal that one of them had.
 * @throws KeyServiceUnavailable
 */
export async function verifyAudit(database: DataSource, { keys, newest, onReport }: VerifyOptions): Promise<void> {
  await database.transaction('REPEATABLE READ', async (manager) => {
    await manager.query(`SET TRANSACTION READ ONLY`);
    // For this transaction only: the role's own limits are meant for requests.
    await manager.query(`SET LOCAL statement_timeout = 0`);
    const sealers = keys && (await openSealers(keys, manager));
    for (const accountId of await listAccounts(manager))
      onReport(await new ChainWalk(accountId, sealers, newest).walk(manager));
  });
}

/**
 * Checks the chain of one account as it is now, page by page and in no snapshot, so that others can use the store in
 * between: entries are only appended, except by the retention.
 * @throws KeyServiceUnavailable
 */
export async function verifyChain(manager: EntityManager, accountId: string, keys: DataKeys): Promise<ChainReport> {
  const sealers = await openSealers(keys, manager);
  for (;;) {
    const anchor = await findAnchor(manager, accountId);
    const report = await new ChainWalk(accountId, sealers, undefined).walk(manager);
    // The retention may remove entries during the walk, which then misses them. The walk begins again at the new
    // anchor.
    if (!report.broken || (await findAnchor(manager, accountId))?.seq === anchor?.seq) return report;
  }
}

/** Sealers by the ids of their keys; undefined for keys that the available encryption keys do not open. */
type Sealers = ReadonlyMap<string, Sealer | undefined>;

async function openSealers(keys: DataKeys, manager: EntityManager): Promise<Sealers> {
  const sealers = new Map<string, Sealer | undefined>();
  for (const stored of await keys.list('audit-seal', manager)) {
    try {
      sealers.set(stored.id, new Sealer(stored.id, await keys.unwrap(stored)));
    } catch (error) {
      if (!(error instanceof Undecryptable)) throw error;
      sealers.set(stored.id, undefined);
    }
  }
  return sealers;
}

/** The check of one account's chain. */
class ChainWalk {
  private last: ChainLink = BEGINNING;
  private lastSeal: Seal | undefined;
  private newestAt: number | undefined;
  private entries = 0;
  private unsealed = 0;
  private unchecked = 0;
  /** Once an entry is sealed, all after it are. */
  private isSealed = false;

  constructor(
    private readonly accountId: string,
    private readonly sealers: Sealers | undefined,
    private readonly newest: string | undefined,
  ) {}

  async walk(manager: EntityManager): Promise<ChainReport> {
    const broken = (await this.beginAtAnchor(manager)) ?? (await this.followEntries(manager));
    const { accountId, entries, unsealed, unchecked, last, lastSeal, newestAt } = this;
    return { accountId, entries, unsealed, unchecked, last, lastSeal, newestAt, broken };
  }

  private async beginAtAnchor(manager: EntityManager): Promise<ChainBreak | undefined> {
    const anchor = await findAnchor(manager, this.accountId);
    if (!anchor) return undefined;
    const reason = this.sealFault(anchor.seal, (sealer) => sealer.ofAnchor(anchor));
    if (reason !== undefined) return { seq: anchor.seq, reason: `that stands for removed ones ${reason}` };
    this.last = { seq: anchor.seq, hash: anchor.hash };
    this.isSealed = anchor.wasSealed;
    return undefined;
  }

  private async followEntries(manager: EntityManager): Promise<ChainBreak | undefined> {
    let page: readonly StoredEntry[];
    // The first page begins below any position: an entry before the beginning is a break as well.
    let after = Number.MIN_SAFE_INTEGER;
    do {
      page = await listChain(manager, this.accountId, after, PAGE_ENTRIES);
      for (const entry of page) {
        const broken = this.findBreak(entry);
        if (broken) return broken;
        this.pass(entry);
      }
      after = this.last.seq;
    } while (page.length === PAGE_ENTRIES);
    return undefined;
  }

  private findBreak(entry: StoredEntry): ChainBreak | undefined {
    const { seq } = entry;
    const { last } = this;
    if (seq <= last.seq) return { seq, reason: `is before the beginning of the chain, which is ${last.seq + 1}` };
    if (seq > last.seq + 1) return { seq: last.seq + 1, reason: `is missing: the next existing entry is ${seq}` };
    if (entry.previousHash !== last.hash)
      return { seq, reason: 'does not follow the previous entry: the hashes differ' };
    if (entry.hash !== hashEntry(entry)) return { seq, reason: 'was changed after it was recorded: its hash differs' };
    const reason =
      !entry.seal && this.isSealed
        ? 'is not sealed, although an earlier one is'
        : this.sealFault(entry.seal, (sealer) => sealer.ofEntry(entry.hash));
    return reason === undefined ? undefined : { seq, reason };
  }

  /**
   * Counts a missing seal, or one that cannot be checked.
   * @returns what is wrong with it
   */
  private sealFault(seal: Seal | undefined, made: (sealer: Sealer) => Seal): string | undefined {
    if (!seal) {
      this.unsealed++;
      return undefined;
    }
    if (this.sealers && !this.sealers.has(seal.sealKey)) return `is sealed under a missing key: ${seal.sealKey}`;
    const sealer = this.sealers?.get(seal.sealKey);
    if (!sealer) this.unchecked++;
    else if (!isSameSeal(seal, made(sealer))) return 'was changed after it was recorded: its seal differs';
    return undefined;
  }

  private pass({ seq, hash, seal }: StoredEntry): void {
    this.last = { seq, hash };
    this.entries++;
    if (!seal) return;
    this.isSealed = true;
    this.lastSeal = seal;
    if (seal.seal === this.newest) this.newestAt = seq;
  }
}
