import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Preset } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { CsvLink } from '../../parts/csv.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';
import { Link } from '../../parts/link.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { shownWorkspace } from './preset-fields.js';
import { PresetStatus } from './preset-status.js';

const PAGE = 50;

const FILTERS: readonly Filter[] = [{ name: 'workspace_id', label: 'Workspace', hint: 'id or slug' }];

/** The presets of a workspace, a page at a time. */
export function PresetList(): JSX.Element {
  const page = { ...shownWorkspace(), offset: String(shownOffset()), limit: String(PAGE) };
  const loaded = useData(JSON.stringify(page), (signal) => call('presetsList', { query: page }, signal));
  return (
    <>
      <h1 tabIndex={-1}>Presets</h1>
      <p>
        A preset keeps the settings of requests: a program names it, as <code>@preset/slug</code> in place of a model.
        Shown are those of the workspace of your key, or of the one that is named here.
      </p>
      <FilterForm page="presets" filters={FILTERS} />
      <Shown of={loaded}>
        {({ data, total_count: total }) => (
          <>
            <div class="toolbar">
              <Link class="button main" to="presets/new">
                New preset
              </Link>
            </div>
            {data.length === 0 ? (
              <Empty>There is none yet: “New preset” saves one from the body of a request.</Empty>
            ) : (
              <Table
                caption="Presets"
                hidesCaption
                columns={COLUMNS}
                rows={data}
                keyOf={({ id }) => id}
                csv={<CsvLink operation="presetsList" query={shownWorkspace()} file="presets.csv" />}
              />
            )}
            <OffsetPages size={PAGE} total={total} />
          </>
        )}
      </Shown>
    </>
  );
}

const addressFor = (slug: string): string => {
  const { workspace_id: workspace } = shownWorkspace();
  return `presets/${slug}${workspace === undefined ? '' : `?workspace_id=${encodeURIComponent(workspace)}`}`;
};

const COLUMNS: readonly Column<Preset>[] = [
  {
    name: 'slug',
    title: 'Slug',
    isHeader: true,
    cell: ({ slug }) => <Link to={addressFor(slug)}>{slug}</Link>,
    sortBy: ({ slug }) => slug,
  },
  { name: 'name', title: 'Name', cell: ({ name }) => <bdi class="name">{name}</bdi>, sortBy: ({ name }) => name },
  {
    name: 'status',
    title: 'Status',
    cell: ({ status }) => <PresetStatus of={status} />,
    sortBy: ({ status }) => status,
  },
  {
    name: 'updated_at',
    title: 'Changed',
    cell: ({ updated_at: at }) => <Time at={at} />,
    sortBy: ({ updated_at: at }) => at,
  },
];
