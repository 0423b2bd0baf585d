import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Guardrail, Workspace } from '../../api/schema.js';
import { NAMED_MAX } from '../../api/names.js';
import { useData } from '../../api/use-data.js';
import { Deletion } from '../../parts/deletion.js';
import { EditForm } from '../../parts/edit-form.js';
import { Link } from '../../parts/link.js';
import { Copy } from '../../parts/named-id.js';
import { Shown } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { changeableFields, formOf } from './workspace-fields.js';
import { WorkspaceBudgets } from './workspace-budgets.js';
import { WorkspaceMembers } from './workspace-members.js';

/** Page of one workspace: its budgets, its members, and its rules. */
export function OneWorkspace({ reference }: { readonly reference: string }): JSX.Element {
  const loaded = useData(reference, async (signal) => {
    const [{ data: workspace }, { data: guardrails }] = await Promise.all([
      call('workspacesShow', { path: { reference } }, signal),
      call('guardrailsList', { query: { limit: NAMED_MAX } }, signal),
    ]);
    return { workspace, guardrails };
  });
  const [changed, setChanged] = useState<Workspace>();
  return (
    <>
      <p>
        <Link to="workspaces">Workspaces</Link>
      </p>
      <Shown of={loaded} title="Workspace">
        {({ workspace: read, guardrails }) => {
          const workspace = changed ?? read;
          return (
            <>
              <h1 tabIndex={-1}>
                Workspace <bdi>{workspace.name}</bdi>
              </h1>
              <Facts of={workspace} />
              <WorkspaceBudgets reference={workspace.id} />
              <WorkspaceMembers reference={workspace.id} />
              <Rules of={workspace} guardrails={guardrails} renew={setChanged} />
              <End of={workspace} />
            </>
          );
        }}
      </Shown>
    </>
  );
}

const Facts = ({ of: { id, slug, created_at: created } }: { readonly of: Workspace }): JSX.Element => (
  <>
    <dl class="facts columns">
      <div>
        <dt>Slug</dt>
        <dd>
          <code>{slug}</code>
        </dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={created} withZone />
        </dd>
      </div>
    </dl>
    <p class="buttons">
      <Link to="generations" parameters={{ workspace_id: id }}>
        Its generations
      </Link>
      <Link to="keys" parameters={{ workspace_id: id }}>
        Its keys
      </Link>
      <Link to="guardrails" parameters={{ workspace_id: id }}>
        Its guardrails
      </Link>
      <Link to="audit" parameters={{ workspace_id: id }}>
        Its changes
      </Link>
      <Copy text={id}>Copy the id</Copy>
    </p>
  </>
);

interface RulesProps {
  readonly of: Workspace;
  readonly guardrails: readonly Guardrail[];
  readonly renew: (workspace: Workspace) => void;
}

function Rules({ of: workspace, guardrails, renew }: RulesProps): JSX.Element {
  const path = { reference: workspace.id };
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Name and rules</h2>
      <EditForm
        fields={changeableFields(guardrails)}
        of={formOf(workspace, guardrails)}
        name={`the workspace “${workspace.name}”`}
        read={async () => formOf((await call('workspacesShow', { path })).data, guardrails)}
        save={async (body) => {
          const { data } = await call('workspacesUpdate', { path, body });
          renew(data);
          return formOf(data, guardrails);
        }}
        saved={() => undefined}
      />
    </section>
  );
}

function End({ of: { id, name } }: { readonly of: Workspace }): JSX.Element {
  return (
    <Deletion kind="workspace" list="workspaces" remove={() => call('workspacesRemove', { path: { reference: id } })}>
      <p>
        The disabled and expired keys of <bdi>{name}</bdi>, its provider credentials, destinations, budgets and
        memberships are lost. Its generations, charges and guardrails stay. While it has keys in use, it stays.
      </p>
    </Deletion>
  );
}
