import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { CreateWorkspaceBody } from '../../api/schema.js';
import { addressOf, navigate } from '../../app/router.js';
import { NewForm } from '../../parts/form.js';
import { Link } from '../../parts/link.js';
import { NEW_FIELDS } from './workspace-fields.js';

/** The form of a new workspace, then its page. */
export function NewWorkspace(): JSX.Element {
  return (
    <>
      <p>
        <Link to="workspaces">Workspaces</Link>
      </p>
      <h1 tabIndex={-1}>New workspace</h1>
      <NewForm
        fields={NEW_FIELDS}
        begin={{ data_collection: 'allow' }}
        action="Make the workspace"
        submit={async (body) => (await call('workspacesCreate', { body: body as unknown as CreateWorkspaceBody })).data}
        done={({ id }) => navigate(addressOf(`workspaces/${id}`))}
        cancel={() => navigate(addressOf('workspaces'))}
      />
    </>
  );
}
