import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Workspace } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { CsvLink } from '../../parts/csv.js';
import { Link } from '../../parts/link.js';
import { NamedId } from '../../parts/named-id.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

const PAGE = 50;

/** The workspaces of the account, a page at a time. */
export function WorkspaceList(): JSX.Element {
  const page = { offset: String(shownOffset()), limit: String(PAGE) };
  const loaded = useData(`workspaces ${page.offset}`, (signal) => call('workspacesList', { query: page }, signal));
  return (
    <>
      <h1 tabIndex={-1}>Workspaces</h1>
      <p>
        A workspace is a part of the account, with keys, members, budgets and rules of its own. What users, members and
        tags may spend in any of them: <Link to="budgets">budgets</Link>.
      </p>
      <Shown of={loaded}>
        {({ data, total_count: total }) => (
          <>
            <div class="toolbar">
              <Link class="button main" to="workspaces/new">
                New workspace
              </Link>
              <span class="hint">
                {total.toLocaleString('en')} {total === 1 ? 'workspace' : 'workspaces'}
              </span>
              <CsvLink operation="workspacesList" file="workspaces.csv" />
            </div>
            <Table caption="Workspaces" hidesCaption columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
            <OffsetPages size={PAGE} total={total} />
          </>
        )}
      </Shown>
    </>
  );
}

const COLUMNS: readonly Column<Workspace>[] = [
  {
    name: 'name',
    title: 'Name',
    isHeader: true,
    cell: ({ id, name }) => (
      <Link to={`workspaces/${id}`}>
        <NamedId id={id} name={name} />
      </Link>
    ),
    sortBy: ({ name }) => name,
  },
  { name: 'slug', title: 'Slug', cell: ({ slug }) => <code>{slug}</code>, sortBy: ({ slug }) => slug },
  {
    name: 'description',
    title: 'Description',
    cell: ({ description }) => (description === null ? '–' : <bdi class="name">{description}</bdi>),
    sortBy: ({ description }) => description,
  },
  {
    name: 'required',
    title: 'Tags that requests must have',
    cell: ({ required_tags: tags }) => (tags.length === 0 ? '–' : <bdi class="name">{tags.join(', ')}</bdi>),
    sortBy: ({ required_tags: tags }) => tags.join(', '),
  },
  {
    name: 'created',
    title: 'Created',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
];
