import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HOUR_MS } from '../../core/time.js';
import { isDatabaseUnavailable } from '../../shared/database/database-unavailable.js';
import { Environment } from '../../shared/environment.js';
import { RecurringJob } from '../../shared/recurring-job.js';
import {
  GenerationPartitionsRepository,
  type KeptMonth,
  type MonthlyTable,
} from './generation-partitions.repository.js';

const KEEP_EVERY_MS = HOUR_MS;

/**
 * The monthly partitions of generations and ledger entries: made before they are written to, dropped after their
 * retention (FAIRLEAD_RETENTION), whole months only. Any number of replicas may do it at once.
 */
@Injectable()
export class GenerationPartitions implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('ledger');
  private readonly ready = new Set<number>();
  private readonly making = new Map<number, Promise<void>>();
  private readonly job = new RecurringJob(() => this.makeAndDrop(), this.logger);
  private isAway = false;

  constructor(
    private readonly partitions: GenerationPartitionsRepository,
    private readonly environment: Environment,
  ) {}

  /** Makes the first months before anything is served; dropping old ones runs in the background. */
  async onModuleInit(): Promise<void> {
    this.job.start(KEEP_EVERY_MS);
    await this.attempt(() => this.makeAhead());
    void this.keep();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.end();
  }

  /** Whether this process knows that the month of that time (a Date, or milliseconds) exists. */
  isReady(at: Date | number): boolean {
    return this.ready.has(monthOf(at));
  }

  /**
   * Makes the month of a time unless it is known to exist. Concurrent calls share one statement.
   * @throws the database's error; the next call tries again
   */
  async ensure(at: Date): Promise<void> {
    const month = monthOf(at);
    if (this.ready.has(month)) return;
    let made = this.making.get(month);
    if (!made) {
      made = this.make(at, month).finally(() => this.making.delete(month));
      this.making.set(month, made);
    }
    await made;
  }

  /** Makes months ahead and drops those past their retention. Repeats itself every hour. Never throws. */
  keep(): Promise<void> {
    return this.job.run();
  }

  private makeAndDrop(): Promise<void> {
    return this.attempt(async () => {
      await this.makeAhead();
      await this.dropPast();
      await this.buildIndexes();
    });
  }

  /** Builds the indexes of months that are older than the index: an upgrade leaves them to this job. */
  private async buildIndexes(): Promise<void> {
    for (const missing of await this.partitions.listMissingIndexes()) {
      if (this.job.isEnding) return;
      if (await this.partitions.buildIndex(missing)) this.logger.log(`Built the index ${missing.child}.`);
    }
  }

  private async make(at: Date, month: number): Promise<void> {
    await this.partitions.make(at);
    this.ready.add(month);
  }

  private async makeAhead(): Promise<void> {
    const made = await this.partitions.makeAhead();
    // Older months are not relied on: a replica may be dropping them.
    this.ready.clear();
    for (const first of made) this.ready.add(monthOf(first));
  }

  private async dropPast(): Promise<void> {
    const { generations, ledgerEntries } = this.environment.retentionDays;
    if (generations === null && ledgerEntries === null) return;
    const past = await this.partitions.listPast({ generations, ledger_entries: ledgerEntries });
    // Oldest first, and none before an older one, so that the kept months have no gaps.
    const stuck = new Set<MonthlyTable>();
    for (const month of past) {
      if (!stuck.has(month.table) && !(await this.drop(month))) stuck.add(month.table);
    }
  }

  /** @returns false when the month still exists; it is tried again in an hour */
  private async drop(month: KeptMonth): Promise<boolean> {
    const outcome = await this.partitions.drop(month);
    const name = `${month.table} of ${month.first.toISOString().slice(0, 7)}`;
    if (outcome === 'dropped') this.logger.log(`Dropped ${name}: past their retention (FAIRLEAD_RETENTION).`);
    if (outcome === 'held') this.logger.warn(`Kept ${name} past their retention: calls from then are not settled yet.`);
    return outcome === 'dropped' || outcome === 'gone';
  }

  /** A failure is retried an hour later: months are made long before they are needed. */
  private async attempt(job: () => Promise<void>): Promise<void> {
    try {
      await job();
      this.isAway = false;
    } catch (error) {
      const isAway = isDatabaseUnavailable(error);
      if (!isAway) this.logger.error(error);
      else if (!this.isAway)
        this.logger.warn('Ledger partitions cannot be made: the database is unavailable. This is retried.');
      this.isAway = isAway;
    }
  }
}

/** Months since the year 0, in UTC. */
function monthOf(at: Date | number): number {
  const date = typeof at === 'number' ? new Date(at) : at;
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
