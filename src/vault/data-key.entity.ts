import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A key of the gateway's own for one purpose, wrapped by a key-encryption key. */
@Entity('data_keys')
@Unique('data_keys_number', ['purpose', 'number'])
export class DataKeyEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ type: 'text' })
  purpose!: string;

  @Column({ type: 'integer' })
  number!: number;

  @Column({ name: 'key_id', type: 'text' })
  keyId!: string;

  @Column({ name: 'wrapped_key', type: 'bytea' })
  wrappedKey!: Buffer;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
