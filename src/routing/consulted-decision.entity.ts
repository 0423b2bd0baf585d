import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Why a consulted model was called at its endpoint. */
@Entity('consulted_decisions')
@Check('consulted_decisions_decision_check', 'octet_length(decision) <= 1024')
@Index('consulted_decisions_oldest', ['heldAt'])
export class ConsultedDecisionEntity {
  @PrimaryColumn({ name: 'generation_id', type: 'text' })
  generationId!: string;

  /** The index in the order of consultations, from 1. */
  @PrimaryColumn({ type: 'smallint' })
  place!: number;

  @Column({ name: 'held_at', type: 'timestamptz', precision: 3 })
  heldAt!: Date;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  /** The purpose: `fusion-panel`, `moderation` and so on. */
  @Column({ type: 'text' })
  purpose!: string;

  /** The decision, as `route_decisions` has it. */
  @Column({ type: 'text' })
  decision!: string;
}
