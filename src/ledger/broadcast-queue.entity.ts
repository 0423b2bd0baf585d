import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A settled generation that destinations are to learn of. */
@Entity('broadcast_queue')
export class BroadcastQueueEntity {
  @PrimaryColumn({ name: 'generation_id', type: 'text' })
  generationId!: string;

  @PrimaryColumn({ name: 'held_at', type: 'timestamptz', precision: 3 })
  heldAt!: Date;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;
}
