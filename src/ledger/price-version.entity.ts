import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A list of prices, by the hash of its text: kept from its first use on and never changed. */
@Entity('price_versions')
export class PriceVersionEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'jsonb' })
  pricing!: object;

  @Column({ name: 'effective_from', type: 'timestamptz', precision: 3 })
  effectiveFrom!: Date;
}
