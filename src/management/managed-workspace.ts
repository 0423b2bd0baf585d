import type { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { viewWorkspace } from '../accounts/workspace-view.js';
import { ManagedKind } from './managed-kind.js';

/** Workspaces as the log shows them: two modules change them. */
export const WORKSPACE = new ManagedKind<WorkspaceEntity>('workspace', (workspace) => ({
  target: workspace.id,
  workspaceId: workspace.id,
  view: viewWorkspace(workspace),
}));
