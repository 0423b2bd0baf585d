import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A division of an account. Keys belong to one; each account has exactly one default. */
@Entity('workspaces')
export class WorkspaceEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ type: 'text' })
  name!: string;

  /** Lower case, unique in the account. */
  @Column({ type: 'text' })
  slug!: string;

  @Column({ name: 'is_default', type: 'boolean' })
  isDefault!: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
