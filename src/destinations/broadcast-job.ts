import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { newUuid } from '../core/ids.js';
import type { JsonObject } from '../core/json/json.js';
import { Clock } from '../core/time.js';
import { SettledGenerations, type SettledGeneration } from '../ledger/generations/settled-generations.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import { RecurringJob } from '../shared/recurring-job.js';
import { isWanted, recordFor } from './broadcast-record.js';
import { DestinationEntity } from './destination.entity.js';
import { GENERATIONS_TYPE } from './outbox-event.js';
import { Outbox } from './outbox.js';

const BROADCAST_EVERY_MS = 2_000;
/** Generations that one transaction takes. */
const TAKEN_MAX = 500;
/** Generations in one event. */
const BATCH_MAX = 50;
/** Rounds at most until others get their turn, so that the end of the process is not delayed. */
const TURNS_MAX = 20;

/**
 * Puts settled generations into the outbox for the destinations of their workspace, in batches. A generation leaves the
 * queue in the transaction that writes its events, so that none is lost and none is written twice. Where too many wait
 * for a destination, further ones are not sent to it.
 */
@Injectable()
export class BroadcastJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('destinations');
  private readonly job = new RecurringJob(() => this.broadcast(), this.logger);

  constructor(
    private readonly settled: SettledGenerations,
    private readonly outbox: Outbox,
    private readonly database: DataSource,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.job.start(BROADCAST_EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.job.end();
  }

  /** Takes what is settled by now. Never throws. */
  async runOnce(): Promise<void> {
    await this.job.runAnew();
  }

  private async broadcast(): Promise<void> {
    if (await this.settled.isEmpty()) return;
    for (let turn = 0; turn < TURNS_MAX && !this.job.isEnding; turn++) if (!(await this.takeSome())) break;
    this.outbox.hurry();
  }

  /** @returns whether there may be more */
  private async takeSome(): Promise<boolean> {
    return this.database.transaction('READ COMMITTED', async (manager) => {
      const taken = await this.settled.take(manager, TAKEN_MAX);
      if (taken === undefined) return false;
      const workspaces = [...new Set(taken.map(({ workspaceId }) => workspaceId))];
      const where = { workspaceId: In(workspaces), broadcast: true, enabled: true };
      for (const receiver of await manager.findBy(DestinationEntity, where)) await this.add(manager, receiver, taken);
      return true;
    });
  }

  private async add(
    manager: EntityManager,
    receiver: DestinationEntity,
    taken: readonly SettledGeneration[],
  ): Promise<void> {
    const wanted = taken.filter(
      (generation) => generation.workspaceId === receiver.workspaceId && isWanted(receiver, generation),
    );
    if (wanted.length === 0) return;
    if (await this.outbox.isFull(manager, receiver.id)) {
      const count = wanted.length;
      this.metrics.outboxEvent(GENERATIONS_TYPE, 'given_up', Math.ceil(count / BATCH_MAX));
      this.logger.warn(`${count} generations are not sent to the destination ${receiver.id}: too many wait for it.`);
      return;
    }
    for (let start = 0; start < wanted.length; start += BATCH_MAX) {
      const now = this.clock.now();
      const generations = wanted.slice(start, start + BATCH_MAX).map((generation) => recordFor(receiver, generation));
      const message = `${generations.length} generations were settled.`;
      const event = {
        id: newUuid(now),
        accountId: receiver.accountId,
        type: GENERATIONS_TYPE,
        occurredAt: new Date(now),
        data: { message, generations } as unknown as JsonObject,
      };
      await this.outbox.add(manager, event, [receiver.id]);
    }
  }
}
