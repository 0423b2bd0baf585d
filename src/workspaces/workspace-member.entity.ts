import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceEntity } from '../accounts/workspace.entity.js';

/** A user, as the caller's own system names it, who belongs to a workspace. */
@Entity('workspace_members')
@Index('workspace_members_newest', { synchronize: false })
@ForeignKey(() => WorkspaceEntity, ['accountId', 'workspaceId'], ['accountId', 'id'], {
  name: 'workspace_members_workspace',
  onDelete: 'CASCADE',
})
export class WorkspaceMemberEntity {
  @PrimaryColumn({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  @PrimaryColumn({ name: 'user_id', type: 'text' })
  userId!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
