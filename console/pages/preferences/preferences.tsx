import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { AccountPreferences, Workspace } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import type { PageProps } from '../../app/routes.js';
import { EditForm } from '../../parts/edit-form.js';
import { Link } from '../../parts/link.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { ACCOUNT_FIELDS, POLICY_FIELDS } from './preference-fields.js';

const WORKSPACES_MAX = '100';

/** Page with the policy and the defaults of plugins, of the account or of one of its workspaces. */
export function Preferences({ rest }: PageProps): JSX.Element {
  const workspaces = useData('workspaces', (signal) =>
    call('workspacesList', { query: { limit: WORKSPACES_MAX } }, signal),
  );
  return (
    <>
      <h1 tabIndex={-1}>Preferences</h1>
      <p>Those of the account hold in every workspace; a workspace may only narrow them.</p>
      <nav class="tabs" aria-label="Whose preferences">
        <ul>
          <li>
            <Link to="preferences" current={rest === ''}>
              Account
            </Link>
          </li>
          {workspaces.data?.data.map(({ id, name }) => (
            <li key={id}>
              <Link to={`preferences/${id}`} current={rest === id}>
                <bdi>{name}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {workspaces.failure && <Shown of={workspaces}>{() => null}</Shown>}
      {rest === '' ? <OfAccount /> : <OfWorkspace key={rest} id={rest} />}
    </>
  );
}

const readAccount = async (signal?: AbortSignal): Promise<AccountPreferences> =>
  (await call('accountPreferencesShow', {}, signal)).data;

function OfAccount(): JSX.Element {
  const loaded = useData('preferences', readAccount);
  return (
    <Shown of={loaded}>
      {(preferences) => (
        <>
          <EditForm
            fields={ACCOUNT_FIELDS}
            of={preferences}
            name="preferences of the account"
            read={() => readAccount()}
            save={async (body) => (await call('accountPreferencesUpdate', { body: withEgress(body) })).data}
            saved={loaded.reload}
          />
          <Defaults of={preferences.plugins} />
        </>
      )}
    </Shown>
  );
}

function OfWorkspace({ id }: { readonly id: string }): JSX.Element {
  const read = async (signal?: AbortSignal): Promise<Workspace> =>
    (await call('workspacesShow', { path: { reference: id } }, signal)).data;
  const loaded = useData(`workspace ${id}`, read);
  return (
    <Shown of={loaded}>
      {(workspace) => (
        <>
          <EditForm
            fields={POLICY_FIELDS}
            of={workspace}
            name={`preferences of “${workspace.name}”`}
            read={() => read()}
            save={async (body) => (await call('workspacesUpdate', { path: { reference: id }, body })).data}
            saved={loaded.reload}
          />
          <Defaults of={workspace.plugins} />
        </>
      )}
    </Shown>
  );
}

/** A rule without any entry is none. */
function withEgress(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { egress } = body as { readonly egress?: Readonly<Record<string, unknown>> };
  const isNone = egress && Object.values(egress).every((one) => one === null);
  return isNone ? { ...body, egress: null } : body;
}

type PluginDefault = AccountPreferences['plugins'][number];

/** Defaults of plugins in words. */
function Defaults({ of }: { readonly of: readonly PluginDefault[] }): JSX.Element {
  return (
    <section aria-labelledby="plugins">
      <h2 id="plugins">Defaults of plugins as they are stored</h2>
      {of.length === 0 ? (
        <Empty>No plugin has a default: requests name those that they use.</Empty>
      ) : (
        <Table
          caption="Defaults of plugins"
          hidesCaption
          columns={[
            {
              name: 'id',
              title: 'Plugin',
              isHeader: true,
              cell: ({ id }) => <code>{id}</code>,
              sortBy: ({ id }) => id,
            },
            {
              name: 'enabled',
              title: 'By default',
              cell: ({ enabled = true }) => (enabled ? 'on' : 'off'),
              sortBy: ({ enabled = true }) => (enabled ? 'on' : 'off'),
            },
            {
              name: 'fixed',
              title: 'Requests',
              cell: ({ prevent_overrides: isFixed = false }) => (isFixed ? 'cannot change it' : 'may change it'),
              sortBy: ({ prevent_overrides: isFixed = false }) => Number(isFixed),
            },
            {
              name: 'options',
              title: 'Options',
              wraps: true,
              cell: ({ id: _id, enabled: _enabled, prevent_overrides: _fixed, ...options }) =>
                Object.keys(options).length === 0 ? (
                  <span class="none">none</span>
                ) : (
                  <code>{JSON.stringify(options)}</code>
                ),
            },
          ]}
          rows={of}
          csv="plugin-defaults.csv"
          keyOf={({ id }) => id}
        />
      )}
    </section>
  );
}
