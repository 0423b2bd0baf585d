import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An hour whose generations have changed since its figures were written. */
@Entity('figure_changes')
export class FigureChangeEntity {
  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  hour!: Date;

  @Column({ type: 'bigint' })
  changes!: string;
}
