import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from './database/database-unavailable.js';

/** How long the end of the process waits for what is under way; what is cut off then is rolled back. */
const LAST_ROUND_MS = 2_000;

/** Work on the database that comes round by itself, one round at a time, and keeps no process alive. */
export class RecurringJob {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;
  private ending = false;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly logger: Pick<Logger, 'error'>,
  ) {}

  /** The process ends: a round under way begins nothing more. */
  get isEnding(): boolean {
    return this.ending;
  }

  /** The first round begins after that time, in milliseconds. */
  start(everyMs: number): void {
    this.timer = setInterval(() => void this.run(), everyMs).unref();
  }

  /** A round, or the one that is under way. Never throws: what fails now is done the next time. */
  async run(): Promise<void> {
    this.round ??= this.work()
      .catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) this.logger.error(error);
      })
      .finally(() => (this.round = undefined));
    await this.round;
  }

  /** No round begins any more. */
  async end(): Promise<void> {
    this.ending = true;
    clearInterval(this.timer);
    await Promise.race([this.round, delay(LAST_ROUND_MS, undefined, { ref: false })]);
  }
}
