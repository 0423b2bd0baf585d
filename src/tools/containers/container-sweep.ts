import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { MINUTE_MS } from '../../core/time.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { RecurringJob } from '../../shared/recurring-job.js';
import { ToolContainersRepository } from './tool-containers.repository.js';

const SWEEP_EVERY_MS = 10 * MINUTE_MS;

/** Removes expired containers, and pieces of states whose writing was abandoned. Any number of replicas may run it. */
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

  /** Runs by itself every ten minutes. Never throws: a failed run is made up for by the next one. */
  sweep(): Promise<void> {
    return this.job.run();
  }

  private async removePast(): Promise<void> {
    await this.rows.removePast();
    // A few rows a statement, so that other users of the database get their turn.
    while (!this.job.isEnding && (await this.rows.removeUnused())) await yieldToEventLoop();
  }
}
