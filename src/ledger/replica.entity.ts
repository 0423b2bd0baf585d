import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A process that writes to the ledger. One without a recent heartbeat is dead: others settle its holds. */
@Entity('replicas')
export class ReplicaEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'heartbeat_at', type: 'timestamptz', precision: 3 })
  heartbeatAt!: Date;

  /** Id of the last of `hold_epochs` in which all of its holds are in the database. */
  @Column({ type: 'uuid', nullable: true })
  epoch!: string | null;
}
