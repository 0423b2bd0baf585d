import { Injectable } from '@nestjs/common';
import { newUuid } from '../core/ids.js';
import { Clock, elapsedMs } from '../core/time.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import type { DestinationTestView } from './destination-view.js';
import type { DestinationEntity } from './destination.entity.js';
import { EventSender } from './event-sender.js';
import { TEST_TYPE } from './outbox-event.js';
import { OutboxRepository } from './outbox.repository.js';

/** Tests a destination with one event, at once and beside the outbox. */
@Injectable()
export class DestinationTest {
  constructor(
    private readonly sender: EventSender,
    private readonly outbox: OutboxRepository,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * @param signal ends it when the caller has gone
   * @throws GatewayError `service-unavailable` when the key service does not answer; the signal's reason
   */
  async run(row: DestinationEntity, signal: AbortSignal): Promise<DestinationTestView> {
    const now = this.clock.now();
    const event = {
      id: newUuid(now),
      type: TEST_TYPE,
      occurredAt: new Date(now),
      data: { message: `This is a test of the destination ${row.name}.`, destination_id: row.id },
    };
    const began = elapsedMs();
    const { status, error } = await this.sender.send(event, row, signal);
    this.metrics.outboxEvent(TEST_TYPE, error === undefined ? 'delivered' : 'failed');
    if (error === undefined) await this.outbox.noteSuccess(row.id);
    else await this.outbox.noteFailedTest(row.id, error);
    return {
      delivered: error === undefined,
      status,
      message: error ?? 'The destination accepted the event.',
      latency_ms: elapsedMs() - began,
      event_id: event.id,
    };
  }
}
