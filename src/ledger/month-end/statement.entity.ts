import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A closed month of an account; without a hash, one that is being closed. */
@Entity('statements')
export class StatementEntity {
  @PrimaryColumn({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  /** Start of the month. */
  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  month!: Date;

  @Column({ name: 'closed_at', type: 'timestamptz', precision: 3 })
  closedAt!: Date;

  /** Hash of a key, or `retention`. */
  @Column({ name: 'closed_by', type: 'text' })
  closedBy!: string;

  @Column({ name: 'opening_balance', type: 'numeric', precision: 38, scale: 12, nullable: true })
  openingBalance!: string | null;

  @Column({ type: 'numeric', precision: 38, scale: 12, nullable: true })
  credits!: string | null;

  @Column({ type: 'numeric', precision: 38, scale: 12, nullable: true })
  charges!: string | null;

  @Column({ type: 'numeric', precision: 38, scale: 12, nullable: true })
  corrections!: string | null;

  @Column({ name: 'closing_balance', type: 'numeric', precision: 38, scale: 12, nullable: true })
  closingBalance!: string | null;

  /** Lowercase hex SHA-256 of its csv. */
  @Column({ type: 'text', nullable: true })
  hash!: string | null;
}
