import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EgressRules } from '../core/egress.js';
import { PolicyColumns } from './policy-columns.js';

/** The tenant: owns workspaces, keys and one balance. One in this release; every other row refers to it. */
@Entity('accounts')
export class AccountEntity extends PolicyColumns {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  /** True until the first purchase of credits; a grant does not end it. */
  @Column({ name: 'free_tier', type: 'boolean', default: true })
  freeTier!: boolean;

  /** Decimal USD: the sum of all purchases of credits. */
  @Column({ name: 'purchased_usd', type: 'numeric', precision: 38, scale: 12, default: 0 })
  purchasedUsd!: string;

  /** The addresses that requests of its keys may reach; `null`: all. */
  @Column({ type: 'jsonb', nullable: true })
  egress!: EgressRules | null;

  /** When use of users, members or tags was last forgotten, because there were too many of them; `null`: never. */
  @Column({ name: 'counters_forgotten_at', type: 'timestamptz', precision: 3, nullable: true })
  countersForgottenAt!: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;
}
