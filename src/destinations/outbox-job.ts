import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock, HOUR_MS } from '../core/time.js';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { RecurringJob } from '../shared/recurring-job.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import { DestinationEntity } from './destination.entity.js';
import { DestinationsService } from './destinations.service.js';
import { EventSender } from './event-sender.js';
import { GENERATIONS_TYPE, TEST_TYPE } from './outbox-event.js';
import { OutboxFigures } from './outbox-figures.js';
import { OutboxRepository, type AttemptResult, type DueDelivery } from './outbox.repository.js';
import { pauseAfter, TRIED_MS } from './retry-pauses.js';

const SEND_EVERY_MS = 2_000;
const COUNT_EVERY_MS = 10_000;
/** A destination is switched off after this many failed attempts in a row, over at least this time. */
const FAILURES_MAX = 20;
const FAILING_MS_MAX = 6 * HOUR_MS;
/** The receiver states that it is gone for good. */
const GONE = 410;
/** Milliseconds that the end of the process waits for running deliveries. */
const LAST_SENDS_MS = 2_000;

/**
 * Sends what the outbox holds. Each delivery is taken by one replica at a time, and again by any where that one dies:
 * then its receiver may get the event twice, with the same id. Destinations are sent to side by side, so that a slow
 * one delays no other.
 */
@Injectable()
export class OutboxJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('destinations');
  private readonly job = new RecurringJob(() => this.send(), this.logger);
  private readonly counting = new RecurringJob(() => this.figures.refresh(), this.logger);
  /** Numbers of deliveries under way, by destination. */
  private readonly busy = new Map<string, number>();
  private readonly underWay = new Set<Promise<void>>();
  private readonly ending = new AbortController();

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly sender: EventSender,
    private readonly destinations: DestinationsService,
    private readonly database: DataSource,
    private readonly figures: OutboxFigures,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.job.start(SEND_EVERY_MS);
    this.figures.know([TEST_TYPE, GENERATIONS_TYPE]);
    this.counting.start(COUNT_EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.job.end(), this.counting.end()]);
    const all = Promise.allSettled([...this.underWay]);
    await Promise.race([all, delay(LAST_SENDS_MS, undefined, { ref: false })]);
    this.ending.abort(new Error('The gateway is shutting down.'));
    await all;
  }

  /** Starts a round without waiting for its time. */
  hurry(): void {
    void this.job.runAnew();
  }

  /** Runs a round, and resolves when all that it sent has ended. Never throws. */
  async runOnce(): Promise<void> {
    await this.job.runAnew();
    await Promise.allSettled([...this.underWay]);
  }

  /** Counts for the metrics what waits. Never throws. */
  async countOnce(): Promise<void> {
    await this.counting.runAnew();
  }

  private async send(): Promise<void> {
    if (this.job.isEnding) return;
    for (const delivery of await this.outbox.take([...this.busy.keys()])) {
      this.count(delivery.destinationId, 1);
      const sending = this.deliver(delivery)
        .catch((error: unknown) => this.report(error))
        .finally(() => {
          this.underWay.delete(sending);
          // More may wait for it.
          if (this.count(delivery.destinationId, -1) === 0 && !this.job.isEnding) this.hurry();
        });
      this.underWay.add(sending);
    }
  }

  private async deliver(delivery: DueDelivery): Promise<void> {
    const { event, destinationId, accountId, attempts } = delivery;
    const row = await this.database.manager.findOneBy(DestinationEntity, { accountId, id: destinationId });
    if (!row) return;
    const result = await this.sender.send(event, row, this.ending.signal);
    this.metrics.outboxEvent(event.type, result.error === undefined ? 'delivered' : 'failed');
    if (result.error === undefined) {
      await this.outbox.finish(delivery, result);
      await this.outbox.noteSuccess(destinationId);
      return;
    }
    const pauseMs = pauseAfter(attempts, Math.random());
    const isLast = this.clock.now() + pauseMs > event.occurredAt.getTime() + TRIED_MS;
    if (isLast) {
      await this.outbox.finish(delivery, result);
      this.metrics.outboxEvent(event.type, 'given_up');
    } else await this.outbox.postpone(delivery, result, pauseMs);
    await this.noteFailure(row, result, isLast);
  }

  private async noteFailure(
    row: DestinationEntity,
    { status, error = '' }: AttemptResult,
    isLast: boolean,
  ): Promise<void> {
    const failing = await this.outbox.noteFailure(row.id, error);
    if (!failing) return;
    const keepsFailing = failing.failures >= FAILURES_MAX && failing.failingMs >= FAILING_MS_MAX;
    const isDayOld = isLast && failing.failingMs >= TRIED_MS / 2;
    if (status !== GONE && !keepsFailing && !isDayOld) return;
    await this.destinations.switchOff(row, error);
    this.logger.warn(`The destination ${row.id} is switched off: it keeps failing. ${error}`);
  }

  private count(destinationId: string, change: 1 | -1): number {
    const count = (this.busy.get(destinationId) ?? 0) + change;
    if (count === 0) this.busy.delete(destinationId);
    else this.busy.set(destinationId, count);
    return count;
  }

  private report(error: unknown): void {
    if (!this.job.isEnding && !isDatabaseUnavailable(error)) this.logger.warn('An event could not be sent.', error);
  }
}
