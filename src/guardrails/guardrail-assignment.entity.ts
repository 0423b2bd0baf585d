import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { GuardrailEntity } from './guardrail.entity.js';

/** The guardrail that is assigned to a key or a member: at most one each. */
@Entity('guardrail_assignments')
@Check('guardrail_assignments_kind_check', `kind in ('key', 'member')`)
@Index('guardrail_assignments_of', ['guardrailId'])
@Index('guardrail_assignments_newest', { synchronize: false })
@ForeignKey(() => GuardrailEntity, ['accountId', 'guardrailId'], ['accountId', 'id'], {
  name: 'guardrail_assignments_guardrail',
  onDelete: 'CASCADE',
})
export class GuardrailAssignmentEntity {
  @PrimaryColumn({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @PrimaryColumn({ type: 'text' })
  kind!: 'key' | 'member';

  /** Hash of the key, or the user's id. */
  @PrimaryColumn({ type: 'text' })
  subject!: string;

  @Column({ type: 'uuid', unique: true })
  id!: string;

  @Column({ name: 'guardrail_id', type: 'uuid' })
  guardrailId!: string;

  @Column({ name: 'assigned_by', type: 'text', nullable: true })
  assignedBy!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
