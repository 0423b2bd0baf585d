import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The result of the last verification of the ledger of the whole store: one row, or none before the first. */
@Entity('ledger_verifications')
export class LedgerVerificationEntity {
  /** When it ended, by the database's clock. */
  @PrimaryColumn({ name: 'verified_at', type: 'timestamptz', precision: 3 })
  verifiedAt!: Date;

  @Column({ type: 'integer' })
  differences!: number;

  @Column({ type: 'integer' })
  warnings!: number;
}
