import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OutboxFigures } from './outbox-figures.js';
import { OutboxJob } from './outbox-job.js';
import { OutboxRepository, type NewEvent } from './outbox.repository.js';

/** Takes events for destinations. Safe to share. */
@Injectable()
export class Outbox {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly job: OutboxJob,
    private readonly figures: OutboxFigures,
  ) {}

  /**
   * Adds an event in the transaction that decides it: it is sent if that is committed, and only then.
   * @param destinationIds of the account; others are ignored
   */
  add(manager: EntityManager, event: NewEvent, destinationIds: readonly string[]): Promise<void> {
    return this.outbox.add(manager, event, destinationIds);
  }

  /** Whether no more may wait for a destination: what is added then is given up at once. */
  isFull(manager: EntityManager, destinationId: string): Promise<boolean> {
    return this.outbox.isFull(manager, destinationId);
  }

  /** Types of events that metrics show from now on, also while there are none. */
  know(types: readonly string[]): void {
    this.figures.know(types);
  }

  /** Must be called after the commit: sends without waiting for the next round. */
  hurry(): void {
    this.job.hurry();
  }
}
