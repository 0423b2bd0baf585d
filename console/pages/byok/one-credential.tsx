import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Credential, CredentialTest } from '../../api/schema.js';
import { useProviderNames } from '../../api/provider-names.js';
import { useData } from '../../api/use-data.js';
import { useWorkspaceNames } from '../../api/workspace-names.js';
import { ActionButton } from '../../parts/action-button.js';
import { Deletion } from '../../parts/deletion.js';
import { EditForm } from '../../parts/edit-form.js';
import { Link } from '../../parts/link.js';
import { Copy, NamedId } from '../../parts/named-id.js';
import { Shown } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { CHANGEABLE_FIELDS } from './credential-fields.js';
import { nameOf } from './credential-list.js';
import { CredentialStatus } from './credential-status.js';

/** Page of one credential: its state, its uses, and its deletion. */
export function OneCredential({ id }: { readonly id: string }): JSX.Element {
  const loaded = useData(id, async (signal) => (await call('byokShow', { path: { id } }, signal)).data);
  const [changed, setChanged] = useState<Credential>();
  return (
    <>
      <p>
        <Link to="byok">Provider credentials</Link>
      </p>
      <Shown of={loaded} title="Credential">
        {(read) => {
          const one = changed ?? read;
          return (
            <>
              <h1 tabIndex={-1}>
                Credential <bdi>{nameOf(one)}</bdi>
              </h1>
              <Facts of={one} />
              <Test of={one} renew={setChanged} />
              <section aria-labelledby="use">
                <h2 id="use">What it is used for</h2>
                <EditForm
                  fields={CHANGEABLE_FIELDS}
                  of={one}
                  name={`the credential “${nameOf(one)}”`}
                  read={async () => (await call('byokShow', { path: { id } })).data}
                  save={async (body) => (await call('byokUpdate', { path: { id }, body })).data}
                  saved={setChanged}
                />
              </section>
              <End of={one} renew={setChanged} />
            </>
          );
        }}
      </Shown>
    </>
  );
}

function Facts({ of: one }: { readonly of: Credential }): JSX.Element {
  const workspaces = useWorkspaceNames();
  const providers = useProviderNames();
  const facts: readonly (readonly [string, JSX.Element | string | null | undefined])[] = [
    ['Provider', providers.get(one.provider) ?? one.provider],
    ['Secret', <code>{one.label}</code>],
    ['Works', <CredentialStatus of={one} />],
    ['Since', one.status_at && <Time at={one.status_at} withZone />],
    ['Why', one.status_reason],
    ['Last used', <Time at={one.last_used_at} withZone />],
    [
      'Last refusal',
      one.last_refusal && (
        <>
          <Time at={one.last_refused_at} withZone />: {one.last_refusal}
        </>
      ),
    ],
    ['Requests can be sent', one.routable ? 'yes' : `no: ${one.reason}`],
    ['Workspace', <NamedId id={one.workspace_id} name={workspaces.get(one.workspace_id)} />],
    ['Created', <Time at={one.created_at} withZone />],
  ];
  return (
    <>
      <dl class="facts columns">
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <Copy text={one.id}>Copy the id</Copy>
    </>
  );
}

interface PartProps {
  readonly of: Credential;
  readonly renew: (credential: Credential) => void;
}

/** Form that tests the credential by one small call of the provider. The gateway charges nothing for it. */
function Test({ of: { id }, renew }: PartProps): JSX.Element {
  const [result, setResult] = useState<CredentialTest>();
  const run = async (): Promise<void> => {
    setResult(undefined);
    setResult((await call('byokTest', { path: { id } })).data);
    renew((await call('byokShow', { path: { id } })).data);
  };
  return (
    <section aria-labelledby="test">
      <h2 id="test">Test</h2>
      <p class="hint">A call of a few tokens to the cheapest model that it allows. The provider may bill it.</p>
      <div class="buttons">
        <ActionButton act={run}>Test it</ActionButton>
        <span role="status">
          {result && (
            <>
              <strong class={result.works ? 'good' : result.works === false ? 'bad' : 'warn'}>
                {result.works ? 'It works.' : result.works === false ? 'It does not work.' : 'Nothing is known.'}
              </strong>{' '}
              {result.message}
              {result.model !== null && ` Called: ${result.model}.`}
              {result.latency_ms !== null && ` It took ${result.latency_ms} ms.`}
            </>
          )}
        </span>
      </div>
    </section>
  );
}

const End = ({ of: one, renew }: PartProps): JSX.Element => (
  <Deletion
    kind="credential"
    list="byok"
    remove={() => call('byokRemove', { path: { id: one.id } })}
    disabling={{
      isDisabled: one.disabled,
      set: async (disabled) => renew((await call('byokUpdate', { path: { id: one.id }, body: { disabled } })).data),
      loss: (
        <p>Requests use the next credential within seconds, which may be that of the operator, at the list price.</p>
      ),
    }}
  >
    <p>
      The secret <code>{one.label}</code> of <bdi>{nameOf(one)}</bdi> is wiped here, and no one can bring it back. At{' '}
      {one.provider} it stays valid until you end it there.
    </p>
  </Deletion>
);
