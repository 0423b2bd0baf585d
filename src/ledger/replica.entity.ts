import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A process that writes to the ledger. One whose heartbeat has stopped is dead: others finish what it held. */
@Entity('replicas')
export class ReplicaEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'heartbeat_at', type: 'timestamptz', precision: 3 })
  heartbeatAt!: Date;

  /** Id of the last of `hold_epochs` in which all that it holds is there. */
  @Column({ type: 'uuid', nullable: true })
  epoch!: string | null;
}
