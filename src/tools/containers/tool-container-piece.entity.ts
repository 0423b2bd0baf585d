import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One piece of a state, sealed for its index in it. Never changed. */
@Entity('tool_container_pieces')
export class ToolContainerPieceEntity {
  @PrimaryColumn({ type: 'uuid' })
  state!: string;

  /** Index of the piece, from 0. */
  @PrimaryColumn({ type: 'integer' })
  number!: number;

  /** Id of the data key that seals it. */
  @Column({ name: 'data_key', type: 'uuid' })
  dataKey!: string;

  @Column({ type: 'bytea' })
  sealed!: Buffer;

  @Column({ name: 'written_at', type: 'timestamptz', precision: 3 })
  writtenAt!: Date;
}
