import { Injectable } from '@nestjs/common';
import { elapsedMs } from '../core/time.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import type { StateSample } from '../shared/telemetry/state-gauges.js';
import { OutboxRepository, type WaitingEvents } from './outbox.repository.js';

const MS_PER_SECOND = 1_000;

/**
 * Numbers of events that wait in the outbox, for the metrics. They are those of the last round of the job, because
 * metrics are read without waiting for the database. Safe to share.
 */
@Injectable()
export class OutboxFigures {
  private readonly types = new Set<string>();
  /** Waiting events by type; undefined while they are not known. */
  private waiting: ReadonlyMap<string, WaitingEvents> | undefined;
  private readAtMs = 0;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly metrics: Metrics,
  ) {}

  /** Types of events that are shown from now on, also while there are none. */
  know(types: readonly string[]): void {
    for (const type of types) this.types.add(type);
    this.metrics.knowEvents(types);
  }

  async refresh(): Promise<void> {
    this.waiting = undefined;
    const rows = await this.outbox.listWaiting();
    this.waiting = new Map(rows.map((row) => [row.type, row]));
    this.readAtMs = elapsedMs();
  }

  /** The number of waiting events by type. */
  counts(): readonly StateSample[] {
    return this.samples(({ count }) => count);
  }

  /** The age of the oldest in seconds by type; 0 without any. */
  ages(): readonly StateSample[] {
    const since = (elapsedMs() - this.readAtMs) / MS_PER_SECOND;
    return this.samples(({ count, oldest_s }) => (count === 0 ? 0 : oldest_s + since));
  }

  private samples(valueOf: (waiting: WaitingEvents) => number): readonly StateSample[] {
    const { waiting } = this;
    if (!waiting) return [];
    const types = new Set([...this.types, ...waiting.keys()]);
    return [...types].map((type) => [valueOf(waiting.get(type) ?? { type, count: 0, oldest_s: 0 }), type]);
  }
}
