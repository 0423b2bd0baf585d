import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Credential, Operations } from '../../api/schema.js';
import type { Names } from '../../api/names.js';
import { useProviderNames } from '../../api/provider-names.js';
import { useData } from '../../api/use-data.js';
import { useWorkspaceNames } from '../../api/workspace-names.js';
import { query } from '../../app/router.js';
import { ActionButton } from '../../parts/action-button.js';
import { CsvLink } from '../../parts/csv.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';
import { Link } from '../../parts/link.js';
import { NamedId } from '../../parts/named-id.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { inOrderOfUse, move } from './credential-order.js';
import { CredentialStatus } from './credential-status.js';

const PAGE = 100;

const FILTERS: readonly Filter[] = [
  { name: 'provider', label: 'Provider', hint: 'slug' },
  { name: 'workspace_id', label: 'Workspace', hint: 'id or slug' },
];

type ListQuery = NonNullable<Operations['byokList']['query']>;

/** Credentials of callers at providers, in the order in which they are tried. */
export function CredentialList(): JSX.Element {
  const given = FILTERS.map(({ name }) => [name, query.value.get(name)] as const).filter(([, value]) => value);
  const filters: ListQuery = Object.fromEntries(given);
  const page: ListQuery = { ...filters, offset: String(shownOffset()), limit: String(PAGE) };
  const loaded = useData(JSON.stringify(page), (signal) => call('byokList', { query: page }, signal));
  const columns = columnsWith(useWorkspaceNames(), useProviderNames(), loaded.reload);
  return (
    <>
      <h1 tabIndex={-1}>Provider credentials</h1>
      <p class="hint">
        Accounts of your own at providers, which pay for calls in place of credits. Those that are no fallback are tried
        before the credential of the operator, in the order of this list.
      </p>
      <FilterForm page="byok" filters={FILTERS} />
      <Shown of={loaded}>
        {({ data, total_count: total }) => {
          const rows = data.toSorted(inOrderOfUse);
          return (
            <>
              <div class="toolbar">
                <Link class="button main" to="byok/new">
                  New credential
                </Link>
                {rows.length > 0 && <CsvLink operation="byokList" query={filters} file="credentials.csv" />}
              </div>
              {rows.length === 0 ? (
                <Empty>
                  {given.length > 0
                    ? 'No credential fits these filters.'
                    : 'There is none: all calls use the credentials of the operator. “New credential” stores one of your own.'}
                </Empty>
              ) : (
                <Table
                  caption="Credentials in the order in which they are tried"
                  hidesCaption
                  columns={columns}
                  rows={rows}
                  keyOf={({ id }) => id}
                />
              )}
              <OffsetPages size={PAGE} total={total} />
            </>
          );
        }}
      </Shown>
    </>
  );
}

/** Displayed name of a credential. */
export const nameOf = ({ name, label }: Credential): string => name ?? label;

const columnsWith = (workspaces: Names, providers: Names, reload: () => void): readonly Column<Credential>[] => [
  {
    name: 'provider',
    title: 'Provider',
    cell: ({ provider }) => <NamedId id={provider} name={providers.get(provider) ?? provider} />,
    sortBy: ({ provider }) => providers.get(provider) ?? provider,
  },
  {
    name: 'workspace',
    title: 'Workspace',
    cell: ({ workspace_id: id }) => <NamedId id={id} name={workspaces.get(id)} />,
    sortBy: ({ workspace_id: id }) => workspaces.get(id) ?? id,
  },
  {
    name: 'name',
    title: 'Name',
    isHeader: true,
    cell: (one) => (
      <Link to={`byok/${one.id}`}>
        <bdi class="name" title={one.id}>
          {nameOf(one)}
        </bdi>
      </Link>
    ),
    sortBy: nameOf,
  },
  { name: 'label', title: 'Secret', cell: ({ label }) => <code>{label}</code>, sortBy: ({ label }) => label },
  {
    name: 'status',
    title: 'Works',
    cell: (one) => <CredentialStatus of={one} />,
    sortBy: ({ disabled, status }) => (disabled ? 'disabled' : status),
  },
  {
    name: 'use',
    title: 'Use',
    cell: ({ is_fallback: fallback, is_required: required, is_byok_only: only }) =>
      fallback ? 'fallback' : required || only ? 'in place of the operator’s' : 'first',
    sortBy: ({ is_fallback: fallback }) => Number(fallback),
  },
  {
    name: 'used',
    title: 'Last used',
    cell: ({ last_used_at: at }) => <Time at={at} />,
    sortBy: ({ last_used_at: at }) => at,
  },
  {
    name: 'refusal',
    title: 'Last refusal',
    wraps: true,
    cell: ({ last_refusal: why, last_refused_at: at }) =>
      why === null ? (
        '–'
      ) : (
        <>
          <Time at={at} />: {why}
        </>
      ),
    sortBy: ({ last_refused_at: at }) => at,
  },
  { name: 'order', title: 'Order', cell: (one) => <Moves of={one} moved={reload} /> },
];

interface MovesProps {
  readonly of: Credential;
  readonly moved: () => void;
}

/** Buttons that change the order of use, which a keyboard reaches too. */
function Moves({ of: one, moved }: MovesProps): JSX.Element {
  const go = async (by: -1 | 1): Promise<void> => {
    await move(one, by);
    moved();
  };
  return (
    <span class="nowrap">
      <ActionButton class="quiet" act={() => go(-1)}>
        ↑<span class="unseen"> Move {nameOf(one)} before the one above</span>
      </ActionButton>{' '}
      <ActionButton class="quiet" act={() => go(1)}>
        ↓<span class="unseen"> Move {nameOf(one)} behind the one below</span>
      </ActionButton>
    </span>
  );
}
