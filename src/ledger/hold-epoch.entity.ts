import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The time from which no hold is missing (docs/contribute/decisions/0038). One row at most, written by the current run
 * of the database server; the table is not logged, so that a crash that may lose holds loses this row too. Changed by
 * functions of the database.
 */
@Entity('hold_epochs')
export class HoldEpochEntity {
  @PrimaryColumn({ name: 'server_started_at', type: 'timestamptz' })
  serverStartedAt!: Date;

  @Column({ type: 'uuid' })
  id!: string;

  /** Time from which new holds are granted. */
  @Column({ name: 'opens_at', type: 'timestamptz' })
  opensAt!: Date;

  /** Replicas with a heartbeat since then still have holds to write back; null: there were none. */
  @Column({ name: 'awaited_since', type: 'timestamptz', nullable: true })
  awaitedSince!: Date | null;
}
