import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { NewWorkspace } from './new-workspace.js';
import { OneWorkspace } from './one-workspace.js';
import { WorkspaceList } from './workspace-list.js';

/** The workspaces: all of them, one, or the form of a new one. */
export function Workspaces({ rest }: PageProps): JSX.Element {
  if (rest === '') return <WorkspaceList />;
  return rest === 'new' ? <NewWorkspace /> : <OneWorkspace key={rest} reference={rest} />;
}
