import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { MINUTE_MS } from '../../core/time.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { RecurringJob } from '../../shared/recurring-job.js';
import { ToolContainersRepository } from './tool-containers.repository.js';

const SWEEP_EVERY_MS = 10 * MINUTE_MS;

/** Removes containers after their time, and pieces of states that nobody finished. Any number of replicas may do it. */
@Injectable()
export class ContainerSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly job = new RecurringJob(() => this.removePast(), new Logger('tools'));

  constructor(private readonly rows: ToolContainersRepository) {}

  onApplicationBootstrap(): void {
    this.job.start(SWEEP_EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.end();
  }

  /** Comes round by itself every ten minutes. Never throws: what fails now is done the next time. */
  sweep(): Promise<void> {
    return this.job.run();
  }

  private async removePast(): Promise<void> {
    await this.rows.removePast();
    // A few at a time: others who wait for the database have their turn in between.
    while (!this.job.isEnding && (await this.rows.removeUnused())) await yieldToEventLoop();
  }
}
