import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Guardrail } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { useWorkspaceNames } from '../../api/workspace-names.js';
import { Deletion } from '../../parts/deletion.js';
import { EditForm } from '../../parts/edit-form.js';
import { Link } from '../../parts/link.js';
import { Copy, NamedId } from '../../parts/named-id.js';
import { Shown } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { Assignments } from './assignments.js';
import { bodyOf, CHANGEABLE, formOf } from './guardrail-fields.js';
import { OwnPatterns } from './own-patterns.js';
import { Trial } from './trial.js';

/** Page of one guardrail: a trial with a text, its terms and filters, and its assignments. */
export function OneGuardrail({ id }: { readonly id: string }): JSX.Element {
  const loaded = useData(id, async (signal) => (await call('guardrailsShow', { path: { id } }, signal)).data);
  const workspaces = useWorkspaceNames();
  const [changed, setChanged] = useState<Guardrail>();
  return (
    <>
      <p>
        <Link to="guardrails">Guardrails</Link>
      </p>
      <Shown of={loaded} title="Guardrail">
        {(read) => {
          const guardrail = changed ?? read;
          return (
            <>
              <h1 tabIndex={-1}>
                Guardrail <bdi>{guardrail.name}</bdi>
              </h1>
              <dl class="facts columns">
                <div>
                  <dt>Workspace</dt>
                  <dd>
                    <NamedId id={guardrail.workspace_id} name={workspaces.get(guardrail.workspace_id)} />
                  </dd>
                </div>
                <div>
                  <dt>Created</dt>
                  <dd>
                    <Time at={guardrail.created_at} withZone />
                  </dd>
                </div>
              </dl>
              <Copy text={id}>Copy the id</Copy>
              <Trial id={id} />
              <Assignments id={id} />
              <OwnPatterns of={guardrail} renew={setChanged} />
              <section aria-labelledby="terms">
                <h2 id="terms">Terms and built-in filters</h2>
                <EditForm
                  fields={CHANGEABLE}
                  of={formOf(guardrail)}
                  name={`the guardrail “${guardrail.name}”`}
                  read={async () => formOf((await call('guardrailsShow', { path: { id } })).data)}
                  save={async (body) => {
                    const { data } = await call('guardrailsUpdate', { path: { id }, body: bodyOf(body) });
                    setChanged(data);
                    return formOf(data);
                  }}
                  saved={() => undefined}
                />
              </section>
              <End of={guardrail} />
            </>
          );
        }}
      </Shown>
    </>
  );
}

function End({ of: { id, name } }: { readonly of: Guardrail }): JSX.Element {
  return (
    <Deletion kind="guardrail" list="guardrails" remove={() => call('guardrailsRemove', { path: { id } })}>
      <p>
        What <bdi>{name}</bdi> blocks, cuts and limits is allowed within seconds, for all keys and members that it is
        for and in workspaces whose rules name it. Its filters and assignments are lost.
      </p>
    </Deletion>
  );
}
