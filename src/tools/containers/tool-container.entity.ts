import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** What a tool keeps between two requests of one API key: which state it has, and until when. */
@Entity('tool_containers')
@Unique('tool_containers_state', ['state'])
@Index('tool_containers_oldest', ['expiresAt'])
export class ToolContainerEntity {
  @PrimaryColumn({ name: 'key_hash', type: 'char', length: 64 })
  keyHash!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  // By its name: this room imports none of the store's owners.
  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey('AccountEntity', { name: 'tool_containers_account_id_fkey' })
  accountId!: string;

  /** Its pieces are those of this id. */
  @Column({ type: 'uuid' })
  state!: string;

  /** Bytes, before sealing. */
  @Column({ type: 'integer' })
  size!: number;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
