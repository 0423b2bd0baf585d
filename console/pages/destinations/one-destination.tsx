import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Destination, DestinationTest } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { useWorkspaceNames } from '../../api/workspace-names.js';
import { ActionButton } from '../../parts/action-button.js';
import { Deletion } from '../../parts/deletion.js';
import { EditForm } from '../../parts/edit-form.js';
import { Link } from '../../parts/link.js';
import { NamedId } from '../../parts/named-id.js';
import { Shown } from '../../parts/states.js';
import { Duration, Time } from '../../parts/time.js';
import { changeableFields, formOf, TYPES } from './destination-fields.js';
import { DestinationState } from './destination-list.js';
import { RotateSecret } from './rotate-secret.js';

/** Page of one destination: its state and its configuration. */
export function OneDestination({ id }: { readonly id: string }): JSX.Element {
  const read = async (signal?: AbortSignal): Promise<Destination> =>
    (await call('destinationsShow', { path: { id } }, signal)).data;
  const loaded = useData(id, read);
  const [changed, setChanged] = useState<Destination>();
  return (
    <>
      <p>
        <Link to="destinations">Destinations</Link>
      </p>
      <Shown of={loaded} title="Destination">
        {(first) => {
          const destination = changed ?? first;
          return (
            <>
              <h1 tabIndex={-1}>
                Destination <bdi>{destination.name}</bdi>
              </h1>
              <Facts of={destination} />
              <Test id={id} renew={async () => setChanged(await read())} />
              <section aria-labelledby="terms">
                <h2 id="terms">How it is called</h2>
                <EditForm
                  fields={changeableFields(destination.type)}
                  of={formOf(destination)}
                  name={`the destination “${destination.name}”`}
                  read={async () => formOf(await read())}
                  save={async (body) => {
                    const { data } = await call('destinationsUpdate', {
                      path: { id },
                      body,
                    });
                    setChanged(data);
                    return formOf(data);
                  }}
                  saved={() => undefined}
                />
              </section>
              {destination.type === 'webhook' && <RotateSecret of={destination} renew={setChanged} />}
              <End of={destination} />
            </>
          );
        }}
      </Shown>
    </>
  );
}

function Facts({ of: destination }: { readonly of: Destination }): JSX.Element {
  const workspaces = useWorkspaceNames();
  const { type, workspace_id: workspace, status_reason: reason, status_at: since } = destination;
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <DestinationState of={destination} />
        {reason !== null && `: ${reason}`}
      </dd>
      <dt>Since</dt>
      <dd>
        <Time at={since} withZone />
      </dd>
      <dt>Type</dt>
      <dd>{TYPES[type]}</dd>
      <dt>Workspace</dt>
      <dd>
        <NamedId id={workspace} name={workspaces.get(workspace)} />
      </dd>
    </dl>
  );
}

interface TestProps {
  readonly id: string;
  /** Reads its state again. */
  readonly renew: () => Promise<void>;
}

function Test({ id, renew }: TestProps): JSX.Element {
  const [result, setResult] = useState<DestinationTest>();
  return (
    <>
      <div class="buttons">
        <ActionButton
          act={async () => {
            setResult(undefined);
            setResult((await call('destinationsTest', { path: { id } })).data);
            await renew();
          }}
        >
          Send a test event
        </ActionButton>
      </div>
      <div role="status">
        {result && (
          <p>
            <strong class={result.delivered ? 'good' : 'bad'}>
              {result.delivered ? 'Delivered' : 'Not delivered'}
            </strong>
            {result.status !== null && ` (${result.status})`} after <Duration ms={result.latency_ms} />:{' '}
            {result.message}
          </p>
        )}
      </div>
    </>
  );
}

function End({ of: { id, name } }: { readonly of: Destination }): JSX.Element {
  return (
    <Deletion kind="destination" list="destinations" remove={() => call('destinationsRemove', { path: { id } })}>
      <p>
        <bdi>{name}</bdi> gets nothing more: alarms that report to it lose it, and the events that wait for it are lost,
        with its address and secret.
      </p>
    </Deletion>
  );
}
