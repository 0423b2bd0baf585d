import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Who pays: owns workspaces, keys and one balance. One in this release; every other row names it. */
@Entity('accounts')
export class AccountEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  /** True until the first purchase of credits; a grant does not end it. */
  @Column({ name: 'free_tier', type: 'boolean' })
  freeTier!: boolean;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
