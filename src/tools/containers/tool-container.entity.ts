import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

/** The state that a tool keeps between two requests of one API key, and its expiry. */
@Entity('tool_containers')
@Unique('tool_containers_state', ['state'])
@Index('tool_containers_oldest', ['expiresAt'])
export class ToolContainerEntity {
  @PrimaryColumn({ name: 'key_hash', type: 'char', length: 64 })
  keyHash!: string;

  @PrimaryColumn({ type: 'text' })
  id!: string;

  // Referenced by name: this module does not import the module that owns accounts.
  @Column({ name: 'account_id', type: 'uuid' })
  @ForeignKey('AccountEntity', { name: 'tool_containers_account_id_fkey' })
  accountId!: string;

  /** Id of its pieces. */
  @Column({ type: 'uuid' })
  state!: string;

  /** Bytes, before sealing. */
  @Column({ type: 'integer' })
  size!: number;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
