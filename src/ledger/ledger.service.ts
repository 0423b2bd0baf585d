import { join } from 'node:path';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { BudgetSubject } from '../accounts/budget-subjects.js';
import type { Caller } from '../core/caller.js';
import type { CancelSignal } from '../core/cancellation.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { PICO_PER_USD } from '../core/money/credits.js';
import { Clock } from '../core/time.js';
import { DATABASE_RETRY_AFTER_MS, isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { isDiskFull } from '../shared/database/disk-full.js';
import { systemCode } from '../shared/database/system-code.js';
import { Environment } from '../shared/environment.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import { OpenItems } from '../shared/open-items.js';
import { STATEMENT_MS_MAX } from '../shared/within-time.js';
import { CounterPostings } from './counter-postings.js';
import {
  HOLDS_INCOMPLETE,
  LedgerRepository,
  printGeneration,
  type HoldMember,
  type TakenHold,
} from './ledger.repository.js';
import { Postings } from './postings.js';
import { StatementBatcher } from './statement-batcher.js';
import { HoldNotes } from './hold-notes.js';
import {
  countedBy,
  remainingOf,
  type CounterName,
  type HeldAmounts,
  type Hold,
  type HoldOutcome,
  type HoldRefusal,
  type HoldRequest,
} from './hold.js';
import { GenerationPartitions } from './generations/generation-partitions.js';
import { warnOfVolatileDisk } from './spool/volatile-disk.js';
import { isRowRefused } from './spool/row-refused.js';
import type { Settlement } from './settlement.js';
import { NO_SPOOL, Spool, type SettlementSpool } from './spool/spool.js';

/** During an outage of the database, how often a settlement tries whether it is over. */
const TRY_AGAIN_EVERY_MS = 1_000;
/**
 * SQLSTATE of conditions that may pass soon and are not caused by the statement: a server that is read-only, full or
 * stopping, a cancelled statement, a lock time-out, holds that are being written back.
 */
const PASSING_STATE = /^(?:25006|53...|55P03|57...|58...|LR001)$/;
/** SQLSTATE of a transaction that was rolled back in favour of others. A retry succeeds. */
const ROLLED_BACK_STATE = /^40...$/;
/** Milliseconds for which a hold stays valid after the longest possible request. */
const GRACE_MS = 60_000;
/** Settlements kept in memory that are written at a time. */
const IN_MEMORY_BATCH_ROWS = 200;
/** Ids of given-up holds that are remembered. */
const GIVEN_UP_MAX = 1_000;

const NOTHING: HeldAmounts = { credits: 0n, byok: 0n };

/** Undefined: granted. `gone`: the hold no longer exists. */
type ExtendOutcome = Extract<HoldOutcome, { refused: unknown }> | 'gone' | undefined;

/**
 * The ledger as the request path uses it: hold before, settle after, exactly once. Whatever happens in between, a
 * granted hold ends in one of `settle` and `release`, or is recovered from its row.
 */
@Injectable()
export class LedgerService implements OnModuleInit {
  /** Id of this process in the ledger. */
  readonly replica: string;
  /** Settlements that could not be written to the database. Opened when the module starts. */
  spool!: SettlementSpool;
  /** Latest end of a hold of this process, counted from when it is taken, in milliseconds. */
  readonly holdMsMax: number;
  /** Called when a hold was refused because the database has lost holds. */
  onIncomplete: (() => void) | undefined;
  private readonly logger = new Logger('ledger');
  private readonly open = new OpenItems<Hold>();
  private readonly settling = new OpenItems<Promise<unknown>>();
  private readonly givenUp = new Set<string>();
  /** Settlements that neither the database nor the disk accepted: their holds stay open until one of them does. */
  private readonly inMemory = new Map<Hold, Settlement>();
  /** Holds that are being taken. */
  private reserving = 0;
  /** Since when no settlement could be written, and when that was last tried; undefined while writing works. */
  private outage: { readonly since: number; triedAt: number } | undefined;

  private readonly holdBatches: StatementBatcher<HoldMember, TakenHold>;
  private readonly settlementBatches: StatementBatcher<string, undefined>;
  private readonly counters: CounterPostings;

  constructor(
    private readonly repository: LedgerRepository,
    private readonly postings: Postings,
    private readonly partitions: GenerationPartitions,
    private readonly notes: HoldNotes,
    private readonly environment: Environment,
    private readonly metrics: Metrics,
    clock: Clock,
  ) {
    this.replica = newUuid(clock.now());
    this.holdMsMax = environment.timeouts.totalMs + GRACE_MS;
    this.holdBatches = new StatementBatcher(this.take.bind(this), { timeoutMs: STATEMENT_MS_MAX, isBatchFatal });
    this.settlementBatches = new StatementBatcher(this.settleBatch.bind(this), {
      timeoutMs: STATEMENT_MS_MAX,
      isBatchFatal: (error) => !isRowRefused(error),
    });
    this.counters = new CounterPostings(repository, postings, { timeoutMs: STATEMENT_MS_MAX, isBatchFatal });
  }

  async onModuleInit(): Promise<void> {
    this.spool = await this.openSpool();
    // With the embedded database that disk is checked anyway: the database is on it.
    const warning = this.environment.databaseUrl && (await warnOfVolatileDisk(this.spoolFolder));
    if (warning) this.logger.warn(warning);
  }

  private get spoolFolder(): string {
    return join(this.environment.dataDir, 'spool');
  }

  private async openSpool(): Promise<SettlementSpool> {
    try {
      return await Spool.open(this.spoolFolder, this.replica);
    } catch (error) {
      // The embedded database needs that disk itself.
      if (!this.environment.databaseUrl || !isDiskFull(error)) throw error;
      if (!this.spool)
        this.logger.warn(
          'The disk of DATA_DIR is full: the spool is off, and settlements wait in memory while the database does not answer.',
        );
      return NO_SPOOL;
    }
  }

  /** Holds of this process that are neither settled nor released. */
  get openHolds(): Iterable<Hold> & { readonly size: number } {
    return this.open;
  }

  /** Ids of the holds of this replica that are still to be settled, here or by recovery; others are orphans. */
  listAwaited(): ReadonlySet<string> {
    const ids = new Set(this.givenUp);
    for (const { id } of this.open) ids.add(id);
    return ids;
  }

  /** Ids of holds of this replica that cannot be settled here, and wait for recovery. */
  listGivenUp(): Iterable<string> {
    return this.givenUp;
  }

  /**
   * The current state of the counters that a hold would be taken from, with everything that any replica has settled.
   * @throws GatewayError `service-unavailable`
   */
  async listCounters(
    caller: Caller,
    guardrails: readonly string[],
    subjects: readonly BudgetSubject[],
  ): Promise<readonly HoldRefusal[]> {
    // A settlement that counts in one of these counters also counts in the account's, so that posting those suffices.
    await this.postSettled([{ scope: 'account', scopeId: caller.accountId, interval: 'lifetime' }]);
    try {
      return await this.repository.listCounters(caller, guardrails, subjects);
    } catch (error) {
      throw isDatabaseUnavailable(error) ? unavailable() : error;
    }
  }

  /**
   * Takes a hold before anything is sent upstream.
   * @param signal a hold whose caller has gone meanwhile is released again
   * @throws GatewayError `service-unavailable` while the ledger cannot be written, or the signal's reason
   */
  async hold(request: HoldRequest, signal: CancelSignal): Promise<HoldOutcome> {
    // If the database fails now, each open hold must fit into the spool.
    if (this.open.size + this.reserving >= this.spool.freeRows) throw unavailable();
    let taken: TakenHold;
    this.reserving++;
    try {
      taken = await this.holdBatches.submit(
        { request, amounts: request.bound, extends: false },
        request.caller.keyHash,
      );
    } catch (error) {
      throw this.notTaken(error);
    } finally {
      this.reserving--;
    }
    if (!taken) throw unavailable();
    if ('refused' in taken) return taken;
    const { id, bound } = request;
    if (!this.partitions.isReady(taken.heldAt)) await this.prepareMonth(id, taken.heldAt);
    if (signal.aborted) {
      this.postings.release(id);
      throw signal.reason;
    }
    const heldAt = taken.heldAt.toISOString();
    const { counters } = taken;
    const granted: Hold = { id, request, heldAt, counters, bound, observe: undefined, openHandle: undefined };
    granted.openHandle = this.open.add(granted);
    return { granted };
  }

  /**
   * Posts everything settled by any replica to these counters, before they refuse a caller: a later refusal is then due
   * to calls that are under way and to what was really spent.
   * @throws GatewayError `service-unavailable` while the ledger cannot be written
   */
  async postSettled(counters: readonly CounterName[]): Promise<void> {
    // Settlements of this process may still be on their way to the database.
    await this.settled();
    await answered(this.counters.post(counters));
  }

  /**
   * Extends the hold for further calls of the same request, from the same counters.
   * @param extra requested in addition for later calls, where every counter keeps plenty free; absent: nothing
   * @returns undefined when it was granted; else the counters without enough balance, or `gone` when the hold no longer
   * exists
   * @throws GatewayError `service-unavailable` while the ledger cannot be written
   */
  extend(hold: Hold, needed: HeldAmounts, extra?: HeldAmounts): Promise<ExtendOutcome> {
    return this.extendInTurn(hold, { ...hold.request, isFree: false }, needed, extra);
  }

  /**
   * Counts a further free request of the day for the same request: that of a consulted model.
   * @param hasContention as `HoldRequest`
   * @returns as `extend`
   * @throws GatewayError `service-unavailable` while the ledger cannot be written
   */
  countFree(hold: Hold, hasContention: boolean): Promise<ExtendOutcome> {
    return this.extendInTurn(hold, { ...hold.request, isFree: true, hasContention }, NOTHING);
  }

  private extendInTurn(
    hold: Hold,
    request: HoldRequest,
    needed: HeldAmounts,
    extra?: HeldAmounts,
  ): Promise<ExtendOutcome> {
    // One after another: a statement that contains a hold twice fails for all of its members.
    const member = { request, amounts: needed, extends: true, ...(extra && { extra }) };
    const extended = (hold.extending ?? Promise.resolve()).then(() => this.extendNext(hold, member));
    hold.extending = extended.catch(() => undefined);
    return extended;
  }

  private async extendNext(hold: Hold, member: HoldMember): Promise<ExtendOutcome> {
    const taken = await this.holdBatches.submit(member, member.request.caller.keyHash).catch((thrown: unknown) => {
      const error = this.notTaken(thrown);
      // The reply of the generation is under way, and is settled at the amount that is held.
      if (!(error instanceof GatewayError)) this.logger.error(error);
      throw unavailable();
    });
    if (!taken) return 'gone';
    if ('refused' in taken) return taken;
    const { amounts, extra = NOTHING } = member;
    const needed = taken.isAhead
      ? { credits: amounts.credits + extra.credits, byok: amounts.byok + extra.byok }
      : amounts;
    hold.bound = { credits: hold.bound.credits + needed.credits, byok: hold.bound.byok + needed.byok };
    return undefined;
  }

  /**
   * Writes the state of a hold at once, where a generation continues with a further call: if this process dies before
   * the next heartbeat, the ended calls are charged exactly.
   * @returns as `HoldNotes.note`
   */
  note(hold: Hold): Promise<void> {
    return this.notes.note(hold);
  }

  /**
   * Settles a hold with the real usage. `strict`: resolves when that is committed, or fsynced here where the database
   * does not answer; `relaxed`: at once. Never throws.
   * @returns false where it is in neither, and waits in memory (`keep`)
   */
  settle(hold: Hold, row: Settlement): Promise<boolean> {
    hold.observe = () => row;
    const written = this.write(hold, row);
    const index = this.settling.add(written);
    void written.then(() => this.settling.remove(index));
    return this.environment.ledgerDurability === 'strict' ? written : Promise.resolve(true);
  }

  /** Replaces a settlement that waits in memory. */
  keep(hold: Hold, row: Settlement): void {
    if (!this.inMemory.has(hold)) return;
    this.inMemory.set(hold, row);
    hold.observe = () => row;
  }

  /**
   * Writes the row of a generation without hold and without charge. Resolves when it is written or lost: it is not
   * worth waiting for an outage. Never throws.
   */
  record(row: Settlement): Promise<void> {
    const written = this.writeRecord(row);
    const index = this.settling.add(written);
    void written.then(() => this.settling.remove(index));
    return written;
  }

  private async writeRecord(row: Settlement): Promise<void> {
    if (this.outage) return;
    try {
      await this.partitions.ensure(new Date(row.held_at));
      await this.settlementBatches.submit(printGeneration(row), row.key_hash);
      this.postings.add(row.id);
    } catch (error) {
      if (!isAway(error)) this.logger.error(error);
      else this.outage ??= { since: performance.now(), triedAt: performance.now() };
    }
  }

  /** Ends a hold that cannot be settled. Its row stays, and is recovered from its observed state. */
  giveUp(hold: Hold, error: unknown): void {
    this.reportLost(hold.id, error);
    this.close(hold);
  }

  /** Ends a hold for which nothing was sent. */
  release(hold: Hold): void {
    this.close(hold);
    this.postings.release(hold.id);
  }

  /** Ends a hold for which nothing was sent, and which is not to count as a free request either. */
  async withdraw(hold: Hold): Promise<void> {
    this.release(hold);
    if (hold.request.isFree) await this.uncountFree(hold);
  }

  /** Gives back the free request of the day that a hold counted as. Never throws. */
  async uncountFree(hold: Hold): Promise<void> {
    try {
      await this.repository.uncountFree(hold.request.caller, hold.heldAt);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error(error);
    }
  }

  /** Settlements that wait for the database, on the disk or in memory. */
  get waiting(): number {
    return this.spool.waiting + this.inMemory.size;
  }

  /** Opens the spool if its disk was full at the start: it may have space by now. Never throws. */
  async reopenSpool(): Promise<void> {
    if (this.spool !== NO_SPOOL) return;
    try {
      this.spool = await this.openSpool();
    } catch (error) {
      this.logger.error('The spool cannot be opened.', error);
    }
  }

  /** Writes what waits. @throws when the database does not answer */
  async replay(): Promise<void> {
    await this.spool.replay((rows) => this.replayRows(rows));
    await this.replayKept();
    this.outage = undefined;
  }

  /** Resolves when every settlement and record that was begun is written somewhere. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.settling);
  }

  private reportLost(id: string, error: unknown): void {
    this.metrics.ledgerEvent('lost');
    this.logger.error(`The generation ${id} cannot be settled.`, error);
    if (this.givenUp.size < GIVEN_UP_MAX) this.givenUp.add(id);
  }

  private close(hold: Hold): void {
    if (hold.openHandle !== undefined) this.open.remove(hold.openHandle);
    hold.openHandle = undefined;
  }

  /** The month of a hold must exist when it is settled. */
  private async prepareMonth(id: string, heldAt: Date): Promise<void> {
    try {
      await this.partitions.ensure(heldAt);
    } catch (error) {
      this.postings.release(id);
      throw isAway(error) ? unavailable() : error;
    }
  }

  private async settleBatch(rows: readonly string[]): Promise<readonly undefined[]> {
    const cut = await this.repository.settle(rows);
    if (cut > 0) this.metrics.ledgerEvent('late', cut);
    return new Array<undefined>(rows.length).fill(undefined);
  }

  private async replayRows(rows: readonly Settlement[]): Promise<void> {
    try {
      await this.settlementBatches.submit(rows.map(printGeneration).join(','));
      for (const { id } of rows) this.postings.add(id);
    } catch (error) {
      // A row that the database always refuses must not block the others.
      if (!isRowRefused(error)) throw error;
      if (rows.length === 1) this.reportLost(rows[0]!.id, error);
      else for (const row of rows) await this.replayRows([row]);
    }
  }

  private async replayKept(): Promise<void> {
    const inMemory = [...this.inMemory];
    while (inMemory.length > 0) {
      const batch = inMemory.splice(0, IN_MEMORY_BATCH_ROWS);
      await this.replayRows(batch.map(([, row]) => row));
      for (const [hold] of batch) {
        this.inMemory.delete(hold);
        this.close(hold);
      }
    }
  }

  /** @returns whether it is stored outside of memory */
  private async write(hold: Hold, row: Settlement): Promise<boolean> {
    const { outage } = this;
    const now = performance.now();
    try {
      // During an outage one settlement a second tries the database; the others do not wait for it.
      if (outage && now - outage.since > STATEMENT_MS_MAX && now - outage.triedAt < TRY_AGAIN_EVERY_MS)
        throw unavailable();
      if (outage) outage.triedAt = now;
      await this.settlementBatches.submit(printGeneration(row), hold.request.caller.keyHash);
      this.outage = undefined;
      this.postings.add(hold.id);
    } catch (error) {
      if (isRowRefused(error)) this.reportLost(hold.id, error);
      else {
        this.outage ??= { since: now, triedAt: now };
        if (!(await this.writeToSpool(row, error))) {
          this.inMemory.set(hold, row);
          return false;
        }
      }
    }
    this.close(hold);
    return true;
  }

  /** @returns false where the disk refuses it */
  private async writeToSpool(row: Settlement, reason: unknown): Promise<boolean> {
    if (!isAway(reason)) this.logger.error(reason);
    try {
      await this.spool.append(row);
      this.metrics.ledgerEvent('spooled');
      return true;
    } catch (error) {
      this.metrics.ledgerEvent('kept');
      this.logger.error(`The spool does not take the generation ${row.id}, which waits in memory.`, error);
      return false;
    }
  }

  /** @returns the error to throw where holds could not be taken */
  private notTaken(error: unknown): unknown {
    if (systemCode(error) === HOLDS_INCOMPLETE) this.onIncomplete?.();
    return asCallerError(error);
  }

  /** A member that is refused together with others is tried once more alone: another one's amount must not cause it. */
  private async take(members: readonly HoldMember[]): Promise<readonly TakenHold[]> {
    const taken = [...(await this.repository.take(this.replica, members, this.holdMsMax))];
    if (members.length === 1) return taken;
    for (const [index, outcome] of taken.entries()) {
      if (!outcome || !('refused' in outcome) || !fitsAlone(members[index]!, outcome.refused)) continue;
      [taken[index]] = await this.repository.take(this.replica, [members[index]!], this.holdMsMax);
    }
    return taken;
  }
}

function fitsAlone({ amounts }: HoldMember, refused: readonly HoldRefusal[]): boolean {
  return refused.every(
    (counter) =>
      (counter.scope === 'free_requests' ? PICO_PER_USD : countedBy(counter, amounts)) <= remainingOf(counter),
  );
}

/** @throws GatewayError `service-unavailable` instead of whatever may be over in a moment */
async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asCallerError(error);
  }
}

/** The error that the caller gets when a statement failed. */
const asCallerError = (error: unknown): unknown =>
  isBatchFatal(error) || ROLLED_BACK_STATE.test(systemCode(error) ?? '') ? unavailable() : error;

const isBatchFatal = (error: unknown): boolean => isAway(error) || PASSING_STATE.test(systemCode(error) ?? '');

/** The database did not answer, or not in time. */
const isAway = (error: unknown): boolean => error instanceof GatewayError || isDatabaseUnavailable(error);

const unavailable = (): GatewayError =>
  new GatewayError('service-unavailable', 'The ledger cannot be written at the moment; retry shortly.', {
    retryAfterMs: DATABASE_RETRY_AFTER_MS,
  });
