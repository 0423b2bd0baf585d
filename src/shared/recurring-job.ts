import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from './database/database-unavailable.js';

/** How long the end of the process waits for a running round; an interrupted one is rolled back. */
const LAST_ROUND_MS = 2_000;

/** A recurring job on the database, one round at a time. It does not keep the process alive. */
export class RecurringJob {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;
  private ending = false;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly logger: Pick<Logger, 'error'>,
  ) {}

  /** The process ends: a running round must start nothing more. */
  get isEnding(): boolean {
    return this.ending;
  }

  /** The first round starts after that time, in milliseconds. */
  start(everyMs: number): void {
    this.timer = setInterval(() => void this.run(), everyMs).unref();
  }

  /** Runs a round, or joins the running one. Never throws: a failed round is repeated the next time. */
  async run(): Promise<void> {
    this.round ??= this.work()
      .catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) this.logger.error(error);
      })
      .finally(() => (this.round = undefined));
    await this.round;
  }

  /** Runs a round that begins after this call: a running one is waited for first. Never throws. */
  async runAnew(): Promise<void> {
    await this.round;
    await this.run();
  }

  /** No further round starts. */
  async end(): Promise<void> {
    this.ending = true;
    clearInterval(this.timer);
    await Promise.race([this.round, delay(LAST_ROUND_MS, undefined, { ref: false })]);
  }
}
