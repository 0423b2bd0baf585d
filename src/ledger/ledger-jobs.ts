import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { Environment } from '../shared/environment.js';
import { Metrics } from '../shared/metrics.js';
import type { Hold } from './hold.js';
import { HoldNotes } from './hold-notes.js';
import { DEAD_AFTER_MS, LedgerRepository, printGeneration } from './ledger.repository.js';
import { Postings } from './postings.js';
import { LedgerService } from './ledger.service.js';
import { PriceVersions } from './price-versions.js';
import { isRowRefused } from './row-refused.js';

/** How often each job comes round, in milliseconds (docs/reasons/money.md#rounds-of-the-ledgers-jobs). */
const POST_EVERY_MS = 100;
const BEAT_EVERY_MS = 2_000;
const REPLAY_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 5_000;
/** A beat that a refused hold asks for comes no sooner after the one before it. */
const HURRIED_BEAT_MS = 200;
/** An open hold of this age is in the database, or lost by it: its statement was over long before. */
const TAKEN_FOR_SURE_MS = 15_000;
/** How long the end of the process waits for the last rows. */
const LAST_WRITE_MS = 3_000;
/** How much longer it waits for a database without which what the spool holds would end with this disk. */
const SPOOL_WAIT_MS = 10_000;

interface LedgerJob {
  readonly everyMs: number;
  readonly run: () => Promise<void>;
  timer?: NodeJS.Timeout;
  running?: Promise<void> | undefined;
}

/**
 * What keeps the ledger whole while nobody asks: moves the counters, tells that this replica lives and what its open
 * streams have come to, writes what the spool holds, and finishes what dead replicas left.
 */
@Injectable()
export class LedgerJobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('ledger');
  /** Figures of open generations as they were last written, by id. */
  private readonly observed = new Map<string, string>();
  /** In which all that is open here is in the database. */
  private epoch: string | undefined;
  private adopting: Promise<void> | undefined;
  /** The last beat, and since when none was missing; monotonic, in milliseconds. */
  private beatAt = performance.now();
  private beganToBeatAt = -Infinity;
  private steadySince = -Infinity;
  private readonly jobs: readonly LedgerJob[] = [
    { everyMs: BEAT_EVERY_MS, run: () => this.beat() },
    { everyMs: REPLAY_EVERY_MS, run: () => this.replay() },
    { everyMs: SWEEP_EVERY_MS, run: () => this.sweep() },
    { everyMs: POST_EVERY_MS, run: () => this.post() },
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

  /** The first beat comes before the first hold: nobody takes this replica for dead. */
  async onApplicationBootstrap(): Promise<void> {
    await this.notes.restore();
    await this.enterEpoch(await this.repository.beat(this.ledger.replica, []));
    this.beatAt = performance.now();
    this.ledger.onIncomplete = () => this.hurry();
    void this.adopt();
    for (const job of this.jobs) job.timer = setInterval(() => void this.perform(job), job.everyMs).unref();
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
      this.logger.error(`${inMemory} settlements that the spool did not take end here: they are charged as observed.`);
    }
    if (ledger.spool.waiting === 0) return;
    this.logger.warn(
      `${ledger.spool.waiting} settlements are left in the spool of DATA_DIR: a gateway that finds them there writes them.`,
    );
  }

  /** Everything once, in order: for those who cannot wait until it comes round. */
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
      // What it still holds, if anything, is for others to recover.
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

  /** What still runs is not begun again, and what fails comes round again. */
  private async perform(job: LedgerJob): Promise<void> {
    if (!job.running) await this.runAlone(job).catch((error: unknown) => this.logError(error));
  }

  /** Never at the same time as itself: a sweep passes over the rows that another one holds. */
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

  /** Whether a process is gone may take ten seconds to tell. What it left is replayed like the rest. Never throws. */
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

  /** Nobody is granted a hold before this replica has looked for its own. */
  private hurry(): void {
    const beat = this.jobs[0]!;
    if (performance.now() - this.beganToBeatAt > HURRIED_BEAT_MS) void this.perform(beat);
  }

  /** After a crash of the database what is open here may be missing there: it is written back before anything else. */
  private async enterEpoch(epoch: string): Promise<void> {
    if (epoch === this.epoch) return;
    // Another run of the server, or another server, whose clock may be ahead of the one that told the beats: who has
    // not beaten since may live.
    if (this.epoch !== undefined) this.steadySince = performance.now();
    // What was answered while the database was away takes its room before anybody else does.
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

  private async beat(): Promise<void> {
    this.beganToBeatAt = performance.now();
    const { replica } = this.ledger;
    const areSaid = this.notes.turn();
    const changed = this.listChanged();
    const rows = changed.map(({ id, printed }) => [id, printed] as const);
    let isSaid = true;
    let epoch: string;
    try {
      epoch = await this.repository.beat(replica, rows);
    } catch (error) {
      if (rows.length === 0 || isDatabaseUnavailable(error)) throw error;
      // A row that the database does not take must not make all of them look dead.
      this.logger.error(error);
      isSaid = false;
      epoch = await this.repository.beat(replica, []);
    }
    await this.enterEpoch(epoch);
    if (isSaid) {
      for (const { id, figures } of changed) this.observed.set(id, figures);
      areSaid();
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
    // They stand no more in what is open, and are recovered by what is in the database.
    for (const id of this.ledger.listGivenUp()) {
      const row = this.notes.unsaid(id);
      if (row) changed.push({ id, figures: '', printed: printGeneration(row) });
    }
    return changed;
  }

  private async replay(): Promise<void> {
    if (this.ledger.waiting > 0) await this.ledger.replay();
  }

  private async sweep(): Promise<void> {
    await this.ledger.reopenSpool();
    // What a dead process has left in its spool says more than what was observed of it.
    await this.adopt();
    await this.replay();
    const { ids: stray, at } = await this.repository.listOpen(this.ledger.replica);
    await this.restoreMissing(new Set(stray), at);
    // What waits to be replayed must find its hold as it was taken, with all of its counters.
    if (this.ledger.waiting === 0) {
      // A hold whose answer came too late stands for nothing that this process knows of.
      const awaited = this.ledger.listAwaited();
      for (const id of stray) if (!awaited.has(id)) this.postings.release(id);
      // Before any is recovered, which would make a generation of it.
      await this.postings.flush();
      await this.recover();
    }
    for (const id of await this.repository.listUnposted()) this.postings.add(id);
    await this.postings.flush();
    await this.repository.forgetReplicas();
  }

  /** Should no sign tell of a crash: who is open here and does not stand there is lost. */
  private async restoreMissing(standing: ReadonlySet<string>, at: Date): Promise<void> {
    // Holds bear the time of the database, and so does their age: this machine's clock may be minutes off. One of a
    // time to come was taken at another server, before this one.
    const isTakenForSure = (heldAt: string): boolean => Math.abs(at.getTime() - Date.parse(heldAt)) > TAKEN_FOR_SURE_MS;
    await this.restore(({ id, heldAt }) => !standing.has(id) && isTakenForSure(heldAt));
  }

  private async recover(): Promise<void> {
    // Who could not beat while nobody could takes no one else for dead, until the others have had their time as well.
    const now = performance.now();
    if (now - this.beatAt > DEAD_AFTER_MS || now - this.steadySince < DEAD_AFTER_MS) return;
    const mine = this.listOpen();
    const recovered = await this.repository.recover(this.ledger.replica, mine).catch((error: unknown) => {
      if (!isRowRefused(error)) throw error;
      return this.recoverEach(mine);
    });
    if (recovered.length === 0) return;
    this.metrics.ledgerEvent('recovered', recovered.length);
    this.logger.warn(
      `${recovered.length} generations of replicas that are gone were settled by what was observed of them.`,
    );
  }

  /**
   * One that the database will not take as it was observed keeps no others from it, and is settled at nothing.
   * PostgreSQL tells a refusal before it gives the locks back: what is still locked is passed over, and taken by the
   * next sweep.
   */
  private async recoverEach(mine: readonly string[]): Promise<readonly string[]> {
    const { replica } = this.ledger;
    const recovered: string[] = [];
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
