import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RecurringJob } from '../../shared/recurring-job.js';
import { RollUpRepository, type RollOutcome } from './roll-up.repository.js';

/** Milliseconds between two searches for ended and changed hours. Chosen. */
const ROLL_EVERY_MS = 60_000;
/** A transaction takes fewer hours than the one before where that took longer, in milliseconds; more where less. */
const STEP_MS = 20;
/** Hours of one transaction at most: a day. */
const HOURS_MAX = 24;
/** After each transaction the job rests this many times as long as it took: it uses a tenth of one connection. */
const RESTS = 9;

/**
 * Writes the figures of ended hours in the background, and again those of hours that changed. Every replica tries; one
 * at a time does it.
 */
@Injectable()
export class RollUps implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly job: RecurringJob;

  constructor(private readonly repository: RollUpRepository) {
    this.job = new RecurringJob(async () => void (await this.rollAll(RESTS)), new Logger('figures'));
  }

  onApplicationBootstrap(): void {
    this.job.start(ROLL_EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.end();
  }

  /**
   * Writes all figures that are due.
   * @param rests pause after each transaction, as a multiple of the time that it took
   * @returns `busy` where another replica does it; `rolled` where the process ends before all were written
   */
  async rollAll(rests: number): Promise<RollOutcome> {
    const announced = await this.repository.announce();
    let after = new Date(0);
    let hoursMax = 1;
    while (!this.job.isEnding) {
      const startedAt = performance.now();
      const { outcome, changed } = await this.repository.roll({ announced, after, hoursMax });
      if (outcome !== 'rolled') return outcome;
      if (changed) after = changed;
      const took = performance.now() - startedAt;
      hoursMax = took > STEP_MS ? Math.max(1, Math.floor(hoursMax / 2)) : Math.min(HOURS_MAX, hoursMax * 2);
      if (rests > 0) await delay(took * rests, undefined, { ref: false });
    }
    return 'rolled';
  }
}
