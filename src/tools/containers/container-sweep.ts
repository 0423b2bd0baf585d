import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { MINUTE_MS } from '../../core/time.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { isDatabaseUnavailable } from '../../shared/database/database-unavailable.js';
import { ToolContainersRepository } from './tool-containers.repository.js';

const SWEEP_EVERY_MS = 10 * MINUTE_MS;
/** How long the end of the process waits for a statement under way. */
const LAST_SWEEP_MS = 2_000;

/** Removes containers after their time, and pieces of states that nobody finished. Any number of replicas may do it. */
@Injectable()
export class ContainerSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('tools');
  private sweeping: Promise<void> | undefined;
  private isEnding = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly rows: ToolContainersRepository) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.timer);
    await Promise.race([this.sweeping, delay(LAST_SWEEP_MS, undefined, { ref: false })]);
  }

  /** Comes round by itself every ten minutes. Never throws: what fails now is done the next time. */
  async sweep(): Promise<void> {
    this.sweeping ??= this.removePast()
      .catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) this.logger.error(error);
      })
      .finally(() => (this.sweeping = undefined));
    await this.sweeping;
  }

  private async removePast(): Promise<void> {
    await this.rows.removePast();
    // A few at a time: others who wait for the database have their turn in between.
    while (!this.isEnding && (await this.rows.removeUnused())) await yieldToEventLoop();
  }
}
