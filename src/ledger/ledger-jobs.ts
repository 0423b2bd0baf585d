import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { Environment } from '../shared/environment.js';
import { Metrics } from '../shared/metrics.js';
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
/** A hold that is older than any request may become is nobody's. */
const GRACE_MS = 60_000;
/** How long the end of the process waits for the last rows. */
const LAST_WRITE_MS = 3_000;

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
  private adopting: Promise<void> | undefined;
  /** The last beat, and since when none was missing; monotonic, in milliseconds. */
  private beatAt = performance.now();
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
    private readonly prices: PriceVersions,
    private readonly environment: Environment,
    private readonly metrics: Metrics,
  ) {}

  /** The first beat comes before the first hold: nobody takes this replica for dead. */
  async onApplicationBootstrap(): Promise<void> {
    await this.repository.beat(this.ledger.replica, []);
    this.beatAt = performance.now();
    this.adopting = this.adopt();
    for (const job of this.jobs) job.timer = setInterval(() => void this.perform(job), job.everyMs).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const job of this.jobs) clearInterval(job.timer);
    await Promise.race([this.close(), delay(LAST_WRITE_MS, undefined, { ref: false })]);
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
      await this.post();
      await this.replay();
      await this.postings.flush();
      // What it still holds, if anything, is for others to recover.
      if (this.ledger.openHolds.size === 0 && this.ledger.spool.waiting === 0)
        await this.repository.leave(this.ledger.replica);
    } catch (error) {
      this.logError(error);
    }
    await this.ledger.spool.close();
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
  private async adopt(): Promise<void> {
    try {
      await this.ledger.spool.adopt();
    } catch (error) {
      this.logError(error);
    } finally {
      this.adopting = undefined;
    }
  }

  private async beat(): Promise<void> {
    const { replica } = this.ledger;
    const changed = this.listChanged();
    const rows = changed.map(({ id, printed }) => [id, printed] as const);
    try {
      await this.repository.beat(replica, rows);
    } catch (error) {
      if (rows.length === 0 || isDatabaseUnavailable(error)) throw error;
      // A row that the database does not take must not make all of them look dead.
      this.logger.error(error);
      await this.repository.beat(replica, []);
    }
    for (const { id, figures } of changed) this.observed.set(id, figures);
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
        const figures = `${row.outcome} ${row.cost} ${row.byok_cost} ${row.prompt_tokens} ${row.completion_tokens}`;
        if (this.observed.get(id) !== figures) changed.push({ id, figures, printed: printGeneration(row) });
      } catch (error) {
        this.logger.error(error);
      }
    }
    return changed;
  }

  private async replay(): Promise<void> {
    if (this.ledger.spool.waiting > 0) await this.ledger.replay();
  }

  private async sweep(): Promise<void> {
    const stray = await this.repository.listOpen(this.ledger.replica);
    // What waits to be replayed must find its hold as it was taken, with all of its counters.
    if (this.ledger.spool.waiting === 0 && !this.adopting) {
      // A hold whose answer came too late stands for nothing that this process knows of.
      const awaited = this.ledger.listAwaited();
      for (const id of stray) if (!awaited.has(id)) this.postings.release(id);
      await this.recover();
    }
    for (const id of await this.repository.listUnposted()) this.postings.add(id);
    await this.postings.flush();
    await this.repository.forgetReplicas();
  }

  private async recover(): Promise<void> {
    // Who could not beat while nobody could takes no one else for dead, until the others have had their time as well.
    const now = performance.now();
    if (now - this.beatAt > DEAD_AFTER_MS || now - this.steadySince < DEAD_AFTER_MS) return;
    const ageMsMax = this.environment.timeouts.totalMs + GRACE_MS;
    const mine = this.listOpen();
    const recovered = await this.repository.recover(ageMsMax, mine).catch((error: unknown) => {
      if (!isRowRefused(error)) throw error;
      return this.recoverEach(ageMsMax, mine);
    });
    if (recovered.length === 0) return;
    this.metrics.ledgerEvent('recovered', recovered.length);
    this.logger.warn(
      `${recovered.length} generations of replicas that are gone were settled by what was observed of them.`,
    );
  }

  /** One that the database will not take as it was observed keeps no others from it, and is settled at nothing. */
  private async recoverEach(ageMsMax: number, mine: readonly string[]): Promise<readonly string[]> {
    const recovered: string[] = [];
    for (const id of await this.repository.listLeft(ageMsMax, mine)) {
      for (const asObserved of [true, false]) {
        try {
          recovered.push(...(await this.repository.recover(ageMsMax, mine, { id, asObserved })));
          break;
        } catch (error) {
          if (!isRowRefused(error)) throw error;
          this.logger.error(`The generation ${id} cannot be recovered as it was observed`, error);
        }
      }
    }
    return recovered;
  }
}
