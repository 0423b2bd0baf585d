import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import { useKeyNames } from '../../api/key-names.js';
import type { Names } from '../../api/names.js';
import type { AuditEntry, Operations } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { query } from '../../app/router.js';
import { CsvLink } from '../../parts/csv.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';
import { Link } from '../../parts/link.js';
import { NamedId } from '../../parts/named-id.js';
import { CursorPages } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time, zone } from '../../parts/time.js';
import { ACTIONS, changedFields, nameOf, pageOf, type Action, type ChangedField } from './audit-words.js';
import { Chain } from './chain.js';

const PAGE_MAX = '50';
const OPERATOR = 'operator';
const IS_ID = /^[0-9a-f-]{32,}$/;

const FILTERS: readonly Filter[] = [
  { name: 'action', label: 'What was done', options: [['', 'anything'], ...Object.entries(ACTIONS)] },
  { name: 'target', label: 'To', hint: 'id or hash' },
  { name: 'actor', label: 'By', hint: 'hash of a key, or operator' },
  { name: 'workspace_id', label: 'Workspace', hint: 'id or slug' },
];

type ListQuery = NonNullable<Operations['auditList']['query']>;

/** Page of the audit log, newest first, with the verification of its chain. */
export function Audit(): JSX.Element {
  const parameters = query.value;
  const filters = Object.fromEntries(
    FILTERS.map(({ name }) => [name, parameters.get(name)] as const).filter(([, value]) => value),
  ) as ListQuery;
  const cursor = parameters.get('cursor') ?? undefined;
  const page = { ...filters, ...(cursor !== undefined && { cursor }), limit: PAGE_MAX };
  const loaded = useData(JSON.stringify(page), (signal) => call('auditList', { query: page }, signal));
  const columns = columnsWith(useKeyNames());
  return (
    <>
      <h1 tabIndex={-1}>Audit</h1>
      <Chain />
      <FilterForm page="audit" filters={FILTERS} />
      <Shown of={loaded}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Empty>No change fits these filters.</Empty>
            ) : (
              <>
                <div class="toolbar">
                  <span class="hint">Each entry names what differs.</span>
                  <CsvLink operation="auditList" query={filters} file="audit.csv" />
                </div>
                <Table
                  caption="Changes, newest first"
                  hidesCaption
                  columns={columns}
                  rows={data}
                  keyOf={({ id }) => id}
                />
              </>
            )}
            <CursorPages cursor={cursor} next={next} />
          </>
        )}
      </Shown>
    </>
  );
}

const whoOf = ({ actor: { key_hash: key } }: AuditEntry, keys: Names): string => keys.get(key) ?? key;

const columnsWith = (keys: Names): readonly Column<AuditEntry>[] => [
  { name: 'id', title: 'No.', isNumber: true, isHeader: true, cell: ({ id }) => id, sortBy: ({ id }) => Number(id) },
  {
    name: 'time',
    title: `Time (${zone()})`,
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
  {
    name: 'action',
    title: 'What was done',
    cell: ({ action }) => <span title={action}>{ACTIONS[action as Action] ?? action}</span>,
    sortBy: ({ action }) => action,
  },
  { name: 'target', title: 'To', cell: (entry) => <Target of={entry} />, sortBy: ({ target }) => target },
  {
    name: 'actor',
    title: 'By',
    cell: ({ actor: { key_hash: key, session } }) => (
      <>
        {key === OPERATOR ? 'the operator' : <NamedId id={key} name={keys.get(key)} />}
        {session && <span class="hint">, in the console</span>}
      </>
    ),
    sortBy: (entry) => whoOf(entry, keys),
  },
  {
    name: 'change',
    title: 'What differs',
    wraps: true,
    cell: (entry) => <Change of={entry} />,
    sortBy: (entry) =>
      changedFields(entry)
        .map(({ name, before = '', after = '' }) => `${name}: ${before} → ${after}`)
        .join('; '),
  },
];

function Target({ of: entry }: { readonly of: AuditEntry }): JSX.Element {
  const page = pageOf(entry);
  const { target } = entry;
  // A target that is no id is a name already, such as a month.
  const name = <NamedId id={target} name={nameOf(entry) ?? (IS_ID.test(target) ? undefined : target)} />;
  return page === undefined ? name : <Link to={page}>{name}</Link>;
}

function Change({ of: entry }: { readonly of: AuditEntry }): JSX.Element {
  const fields = changedFields(entry);
  if (fields.length === 0) return <span class="none">–</span>;
  return (
    <details>
      <summary>
        {fields.length === 1 ? fields[0]!.name : `${fields.length} fields`}
        <span class="unseen"> of entry {entry.id}</span>
      </summary>
      <dl class="facts">
        {fields.map((field) => (
          <ChangeOf key={field.name} field={field} />
        ))}
        <dt>Hash of this entry</dt>
        <dd>
          <code>{entry.hash}</code>
        </dd>
      </dl>
    </details>
  );
}

const ChangeOf = ({ field: { name, before, after } }: { readonly field: ChangedField }): JSX.Element => (
  <>
    <dt>{name}</dt>
    <dd>
      {before !== undefined && (
        <>
          <span class="unseen">before: </span>
          <bdi class="lines former">{before}</bdi>
        </>
      )}
      <span class="unseen">after: </span>
      {after === undefined ? <span class="none">none</span> : <bdi class="lines">{after}</bdi>}
    </dd>
  </>
);
