import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { parseUsd, usdNumber } from '../core/money/credits.js';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { Environment } from '../shared/environment.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import type { Hold } from './hold.js';
import { HoldNotes } from './hold-notes.js';
import { DEAD_AFTER_MS, LedgerRepository, printGeneration, type RecoveredGeneration } from './ledger.repository.js';
import { Postings } from './postings.js';
import { LedgerService } from './ledger.service.js';
import { PriceVersions } from './price-versions.js';
import { isRowRefused } from './spool/row-refused.js';

/** Milliseconds between two rounds of each job (docs/contribute/reasons/money.md#rounds-of-the-ledgers-jobs). */
const POST_EVERY_MS = 100;
const BEAT_EVERY_MS = 2_000;
const REPLAY_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 5_000;
const TIDY_EVERY_MS = 60_000;
/** Statements that remove idle counters, in one round. */
const TIDY_ROUNDS_MAX = 100;
const FORGET_EVERY_MS = 600_000;
/**
 * Counters of users, members and tags that an account keeps, in windows of any interval: callers make the ids. Chosen:
 * some 400 MB. Up to the next round there may be more.
 */
const SUBJECT_COUNTERS_MAX = 1_000_000;
/** Least time between a heartbeat and the next one that a refused hold requests. */
const HURRIED_BEAT_MS = 200;
/** An open hold of this age is in the database or was lost by it: its statement ended long before. */
const CERTAINLY_STORED_AFTER_MS = 15_000;
/** Milliseconds that a stopping process waits for the last rows. */
const LAST_WRITE_MS = 3_000;
/** Extra wait for the database where the spool's disk ends with the process. */
const SPOOL_WAIT_MS = 10_000;

interface LedgerJob {
  readonly everyMs: number;
  readonly run: () => Promise<void>;
  timer?: NodeJS.Timeout;
  running?: Promise<void> | undefined;
}

/**
 * Keeps the ledger complete in the background: posts to the counters, writes the heartbeat of this replica with the
 * state of its open generations, replays the spool, and recovers the holds of dead replicas.
 */
@Injectable()
export class LedgerJobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ledger');
  /** State of open generations as last written, by id. */
  private readonly observed = new Map<string, string>();
  /** The epoch in which all holds that are open here are in the database. */
  private epoch: string | undefined;
  private adopting: Promise<void> | undefined;
  /** The last heartbeat, and since when none was missed; monotonic, in milliseconds. */
  private beatAt = performance.now();
  private beganToBeatAt = -Infinity;
  private steadySince = -Infinity;
  private readonly jobs: readonly LedgerJob[] = [
    { everyMs: BEAT_EVERY_MS, run: () => this.writeHeartbeat() },
    { everyMs: REPLAY_EVERY_MS, run: () => this.replay() },
    { everyMs: SWEEP_EVERY_MS, run: () => this.sweep() },
    { everyMs: POST_EVERY_MS, run: () => this.post() },
    { everyMs: TIDY_EVERY_MS, run: () => this.removeIdleCounters() },
    { everyMs: FORGET_EVERY_MS, run: () => this.forgetCounters() },
  ];

  constructor(
    private readonly ledger: LedgerService,
    private readonly repository: LedgerRepository,
    private readonly postings: Postings,
    private readonly notes: HoldNotes,
    private readonly prices: PriceVersions,
    private readonly environment: Environment,
    private readonly metrics: Metrics,
  ) {}

  /** The first heartbeat precedes the first hold, so that no other replica takes this one for dead. */
  async onApplicationBootstrap(): Promise<void> {
    await this.notes.restore();
    await this.enterEpoch(await this.repository.writeHeartbeat(this.ledger.replica, []));
    this.beatAt = performance.now();
    this.ledger.onIncomplete = () => this.heartbeatSoon();
    void this.adopt();
    for (const job of this.jobs) job.timer = setInterval(() => void this.startJob(job), job.everyMs).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const job of this.jobs) clearInterval(job.timer);
    const { ledger } = this;
    const closing = this.close();
    await Promise.race([closing, delay(LAST_WRITE_MS, undefined, { ref: false })]);
    if (ledger.waiting === 0) return;
    await Promise.race([closing, delay(SPOOL_WAIT_MS, undefined, { ref: false })]);
    if (ledger.waiting === 0) return;
    const inMemory = ledger.waiting - ledger.spool.waiting;
    if (inMemory > 0) {
      this.logger.error(
        `${inMemory} settlements could not be stored in the spool: another gateway charges them as observed.`,
      );
    }
    if (ledger.spool.waiting === 0) return;
    this.logger.warn(
      `${ledger.spool.waiting} settlements remain in the spool of DATA_DIR: the next gateway on this DATA_DIR writes them.`,
    );
  }

  /** Runs every job once, in order, for callers that cannot wait for the next round. */
  async runAll(): Promise<void> {
    await this.adopting;
    for (const job of this.jobs) await this.runAlone(job);
  }

  private async close(): Promise<void> {
    for (const { running } of this.jobs) await running?.catch(() => undefined);
    await this.ledger.settled();
    try {
      await this.emptySpool(performance.now() + SPOOL_WAIT_MS);
      await this.post();
      // Holds that are still open, if any, are left for other replicas to recover.
      if (this.ledger.openHolds.size === 0 && this.ledger.waiting === 0)
        await this.repository.leave(this.ledger.replica);
    } catch (error) {
      this.logError(error);
    }
    await this.ledger.spool.close();
  }

  private async emptySpool(until: number): Promise<void> {
    while (this.ledger.waiting > 0) {
      try {
        await this.ledger.replay();
      } catch (error) {
        if (performance.now() > until) throw error;
        await delay(REPLAY_EVERY_MS, undefined, { ref: false });
      }
    }
  }

  /** A job that still runs is not started again; a failed one runs again in the next round. */
  private async startJob(job: LedgerJob): Promise<void> {
    if (!job.running) await this.runAlone(job).catch((error: unknown) => this.logError(error));
  }

  /** Never concurrently with itself: a sweep skips the rows that another one has locked. */
  private async runAlone(job: LedgerJob): Promise<void> {
    while (job.running) await job.running.catch(() => undefined);
    job.running = job.run().finally(() => (job.running = undefined));
    await job.running;
  }

  private logError(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.logger.error(error);
  }

  private async post(): Promise<void> {
    await this.prices.flush();
    await this.postings.flush();
  }

  /**
   * Replays the settlements that dead processes left. It may take ten seconds to find that a process is dead. Never
   * throws.
   */
  private adopt(): Promise<void> {
    this.adopting ??= this.ledger.spool
      .adopt()
      .then(
        () => undefined,
        (error: unknown) => this.logError(error),
      )
      .finally(() => (this.adopting = undefined));
    return this.adopting;
  }

  /** No hold is granted before this replica has checked its own. */
  private heartbeatSoon(): void {
    const heartbeat = this.jobs[0]!;
    if (performance.now() - this.beganToBeatAt > HURRIED_BEAT_MS) void this.startJob(heartbeat);
  }

  /** After a crash of the database open holds may be missing there: they are written back before anything else. */
  private async enterEpoch(epoch: string): Promise<void> {
    if (epoch === this.epoch) return;
    // The server was restarted or replaced, and its clock may be ahead of the one that dated the heartbeats: a replica
    // without a recent heartbeat may be alive.
    if (this.epoch !== undefined) this.steadySince = performance.now();
    // Requests that were answered during the outage take their balance before new holds do.
    await this.replay();
    await this.restore(() => true);
    await this.repository.completeEpoch(epoch, this.ledger.replica, this.environment.databaseUrl === undefined);
    this.epoch = epoch;
  }

  private async restore(isWanted: (hold: Hold) => boolean): Promise<void> {
    const open = Array.from(this.ledger.openHolds).filter(isWanted);
    const restored = await this.repository.restore(this.ledger.replica, open, this.ledger.holdMsMax);
    if (restored === 0) return;
    this.metrics.ledgerEvent('restored', restored);
    this.logger.warn(`${restored} reservations of open calls were lost by the database and were written back.`);
  }

  private async writeHeartbeat(): Promise<void> {
    this.beganToBeatAt = performance.now();
    const { replica } = this.ledger;
    const markWritten = this.notes.switchFiles();
    const changed = this.listChanged();
    const rows = changed.map(({ id, printed }) => [id, printed] as const);
    let isWritten = true;
    let epoch: string;
    try {
      epoch = await this.repository.writeHeartbeat(replica, rows);
    } catch (error) {
      if (rows.length === 0 || isDatabaseUnavailable(error)) throw error;
      // A row that the database rejects must not stop the heartbeat.
      this.logger.error(error);
      isWritten = false;
      epoch = await this.repository.writeHeartbeat(replica, []);
    }
    await this.enterEpoch(epoch);
    if (isWritten) {
      for (const { id, figures } of changed) this.observed.set(id, figures);
      markWritten();
    }
    const open = new Set(this.listOpen());
    for (const id of this.observed.keys()) if (!open.has(id)) this.observed.delete(id);
    const now = performance.now();
    if (now - this.beatAt > DEAD_AFTER_MS) this.steadySince = now;
    this.beatAt = now;
  }

  private listOpen(): readonly string[] {
    return Array.from(this.ledger.openHolds, ({ id }) => id);
  }

  private listChanged(): { readonly id: string; readonly figures: string; readonly printed: string }[] {
    const changed = [];
    for (const { id, observe } of this.ledger.openHolds) {
      try {
        const row = observe?.();
        if (!row) continue;
        const { outcome, cost, byok_cost, operator_cost, prompt_tokens, completion_tokens } = row;
        const figures = [outcome, cost, byok_cost, operator_cost, prompt_tokens, completion_tokens].join(' ');
        if (this.observed.get(id) !== figures) changed.push({ id, figures, printed: printGeneration(row) });
      } catch (error) {
        this.logger.error(error);
      }
    }
    // These holds are no longer open, and are recovered from the rows in the database.
    for (const id of this.ledger.listGivenUp()) {
      const row = this.notes.pendingNote(id);
      if (row) changed.push({ id, figures: '', printed: printGeneration(row) });
    }
    return changed;
  }

  private async replay(): Promise<void> {
    if (this.ledger.waiting > 0) await this.ledger.replay();
  }

  private async sweep(): Promise<void> {
    await this.ledger.reopenSpool();
    // The spool of a dead process knows more than what was last observed of its holds.
    await this.adopt();
    await this.replay();
    const { ids: stray, at } = await this.repository.listOpen(this.ledger.replica);
    await this.restoreMissing(new Set(stray), at);
    // Rows that wait to be replayed must find their holds as they were taken, with all of their counters.
    if (this.ledger.waiting === 0) {
      // A hold whose answer came too late is unknown to this process.
      const awaited = this.ledger.listAwaited();
      for (const id of stray) if (!awaited.has(id)) this.postings.release(id);
      // Before recovery, which would make a generation of it.
      await this.postings.flush();
      await this.recover();
    }
    for (const id of await this.repository.listUnposted()) this.postings.add(id);
    await this.postings.flush();
    await this.repository.forgetReplicas();
  }

  private async removeIdleCounters(): Promise<void> {
    for (let round = 0; round < TIDY_ROUNDS_MAX; round++)
      if ((await this.repository.removeIdleCounters()) === 0) return;
  }

  private async forgetCounters(): Promise<void> {
    for (let round = 0; round < TIDY_ROUNDS_MAX; round++) {
      const count = await this.repository.forgetCounters(SUBJECT_COUNTERS_MAX);
      if (count === 0) return;
      this.metrics.ledgerEvent('forgotten', count);
      this.logger.warn(
        `${count} counters of users, members and tags with the least use were removed: an account keeps ${SUBJECT_COUNTERS_MAX}.`,
      );
    }
  }

  /** Covers a crash that went unnoticed: holds that are open here and missing in the database were lost. */
  private async restoreMissing(standing: ReadonlySet<string>, at: Date): Promise<void> {
    // `heldAt` is the database's time, so age is measured by its clock: this machine's may be minutes off. A hold from
    // the future was taken at another server, before this one.
    const isCertainlyStored = (heldAt: string): boolean =>
      Math.abs(at.getTime() - Date.parse(heldAt)) > CERTAINLY_STORED_AFTER_MS;
    await this.restore(({ id, heldAt }) => !standing.has(id) && isCertainlyStored(heldAt));
  }

  private async recover(): Promise<void> {
    // After an outage in which no replica could write heartbeats, recovery waits until all have had time to write
    // theirs.
    const now = performance.now();
    if (now - this.beatAt > DEAD_AFTER_MS || now - this.steadySince < DEAD_AFTER_MS) return;
    const mine = this.listOpen();
    const recovered = await this.repository.recover(this.ledger.replica, mine).catch((error: unknown) => {
      if (!isRowRefused(error)) throw error;
      return this.recoverEach(mine);
    });
    if (recovered.length === 0) return;
    this.metrics.ledgerEvent('recovered', recovered.length);
    for (const generation of recovered) this.reportMoney(generation);
    this.logger.warn(`${recovered.length} generations of ended replicas were settled by their last observed usage.`);
  }

  /** Reports the costs of recovered calls, because the dead replica did not. */
  private reportMoney({ provider, model, cost, operator_cost, engine_costs }: RecoveredGeneration): void {
    const { metrics } = this;
    if (provider !== null && model !== null) metrics.spent({ provider, model }, Number(cost));
    let lost = parseUsd(operator_cost) ?? 0n;
    for (const [engine, amount] of Object.entries(engine_costs ?? {})) {
      const ofEngine = parseUsd(amount) ?? 0n;
      lost -= ofEngine;
      metrics.engineCost(engine, usdNumber(ofEngine));
    }
    if (lost <= 0n) return;
    if (provider !== null) metrics.operatorCost(provider, usdNumber(lost));
    else metrics.engineCost('gateway', usdNumber(lost));
  }

  /**
   * A hold whose observed row the database refuses is settled at zero, so that it does not block the others. PostgreSQL
   * reports a refusal before it releases the locks: rows that are still locked are skipped, and taken by the next
   * sweep.
   */
  private async recoverEach(mine: readonly string[]): Promise<readonly RecoveredGeneration[]> {
    const { replica } = this.ledger;
    const recovered: RecoveredGeneration[] = [];
    for (const id of await this.repository.listLeft(replica, mine)) {
      for (const asObserved of [true, false]) {
        try {
          recovered.push(...(await this.repository.recover(replica, mine, { id, asObserved })));
          break;
        } catch (error) {
          if (!isRowRefused(error)) throw error;
          this.logger.error(`The generation ${id} cannot be recovered as it was observed.`, error);
        }
      }
    }
    return recovered;
  }
}
