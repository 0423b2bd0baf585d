import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Why a request was sent to its endpoint. */
@Entity('route_decisions')
@Check('route_decisions_decision_check', 'octet_length(decision) <= 1024')
@Index('route_decisions_oldest', ['heldAt'])
export class RouteDecisionEntity {
  @PrimaryColumn({ name: 'generation_id', type: 'text' })
  generationId!: string;

  @Column({ name: 'held_at', type: 'timestamptz', precision: 3 })
  heldAt!: Date;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  /** JSON, at most 1 KB, without content. */
  @Column({ type: 'text' })
  decision!: string;
}
