import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * Since when all holds are there (docs/decisions/0039). One row at most, of the run of the database server that wrote
 * it; the table is not logged, so that a crash takes the row along with the holds that it may have taken. Moved by
 * functions of the database.
 */
@Entity('hold_epochs')
export class HoldEpochEntity {
  @PrimaryColumn({ name: 'server_started_at', type: 'timestamptz' })
  serverStartedAt!: Date;

  @Column({ type: 'uuid' })
  id!: string;

  /** From when on new holds are granted. */
  @Column({ name: 'opens_at', type: 'timestamptz' })
  opensAt!: Date;

  /** Replicas that beat since then have holds to write back; null: none had. */
  @Column({ name: 'awaited_since', type: 'timestamptz', nullable: true })
  awaitedSince!: Date | null;
}
