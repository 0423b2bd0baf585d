import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The time up to which figures are written: one row. */
@Entity('figure_progress')
@Check('figure_progress_id_check', 'id')
export class FigureProgressEntity {
  @PrimaryColumn({ type: 'boolean', default: true })
  id!: boolean;

  /** Hours before it have figures; null: none has. */
  @Column({ name: 'rolled_until', type: 'timestamptz', precision: 3, nullable: true })
  rolledUntil!: Date | null;

  /** Changes of hours before it are noted. */
  @Column({ name: 'marked_until', type: 'timestamptz', precision: 3 })
  markedUntil!: Date;

  /** Entries of generations that began before it are noted as late: some account has closed these months. */
  @Column({ name: 'closed_until', type: 'timestamptz', precision: 3, nullable: true })
  closedUntil!: Date | null;
}
