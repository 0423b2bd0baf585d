import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Names } from '../../api/names.js';
import type { Guardrail } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { useWorkspaceNames } from '../../api/workspace-names.js';
import { query } from '../../app/router.js';
import { CsvLink } from '../../parts/csv.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { NamedId } from '../../parts/named-id.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { actionWords, patternWords } from './guardrail-fields.js';

const PAGE = 50;

const FILTERS: readonly Filter[] = [{ name: 'workspace_id', label: 'Workspace', hint: 'id or slug' }];

/** The guardrails of the account, a page at a time. */
export function GuardrailList(): JSX.Element {
  const workspace = query.value.get('workspace_id') ?? undefined;
  const filters = workspace === undefined ? {} : { workspace_id: workspace };
  const page = { ...filters, offset: String(shownOffset()), limit: String(PAGE) };
  const loaded = useData(JSON.stringify(page), (signal) => call('guardrailsList', { query: page }, signal));
  const columns = columnsWith(useWorkspaceNames());
  return (
    <>
      <h1 tabIndex={-1}>Guardrails</h1>
      <p>
        A guardrail limits models, providers and spending, and blocks or cuts contents of requests: of the keys and
        members that it is for, or of a workspace whose rules name it.
      </p>
      <FilterForm page="guardrails" filters={FILTERS} />
      <Shown of={loaded}>
        {({ data, total_count: total }) => (
          <>
            <div class="toolbar">
              <Link class="button main" to="guardrails/new">
                New guardrail
              </Link>
              <span class="hint">
                {total.toLocaleString('en')} {total === 1 ? 'guardrail' : 'guardrails'}
              </span>
              {data.length > 0 && <CsvLink operation="guardrailsList" query={filters} file="guardrails.csv" />}
            </div>
            {data.length === 0 ? (
              <Empty>
                {workspace === undefined
                  ? 'There is none yet: “New guardrail” makes the first one.'
                  : 'No guardrail fits these filters.'}
              </Empty>
            ) : (
              <Table caption="Guardrails" hidesCaption columns={columns} rows={data} keyOf={({ id }) => id} />
            )}
            <OffsetPages size={PAGE} total={total} />
          </>
        )}
      </Shown>
    </>
  );
}

const filtersOf = ({ content_filters: own, content_filter_builtins: builtins }: Guardrail): string =>
  [
    ...(builtins ?? []).map(({ slug, action }) => `${patternWords(slug)}: ${actionWords(action)}`),
    ...(own ?? []).map(({ label, action }, at) => `${label ?? `custom-${at + 1}`}: ${actionWords(action)}`),
  ].join(', ');

const modelsOf = ({ allowed_models: allowed, ignored_models: ignored }: Guardrail): string =>
  [...(allowed ?? []), ...(ignored ?? []).map((one) => `not ${one}`)].join(', ');

const columnsWith = (workspaces: Names): readonly Column<Guardrail>[] => [
  {
    name: 'name',
    title: 'Name',
    isHeader: true,
    cell: ({ id, name }) => (
      <Link to={`guardrails/${id}`}>
        <NamedId id={id} name={name} />
      </Link>
    ),
    sortBy: ({ name }) => name,
  },
  {
    name: 'filters',
    title: 'Content filters',
    wraps: true,
    cell: (guardrail) => (filtersOf(guardrail) === '' ? '–' : <bdi>{filtersOf(guardrail)}</bdi>),
    sortBy: filtersOf,
  },
  {
    name: 'models',
    title: 'Models',
    cell: (guardrail) => (modelsOf(guardrail) === '' ? 'all' : <bdi class="name">{modelsOf(guardrail)}</bdi>),
    sortBy: modelsOf,
  },
  {
    name: 'limit',
    title: 'Limit of each',
    isNumber: true,
    cell: ({ limit_usd: limit, reset_interval: reset }) =>
      limit === null ? (
        '–'
      ) : (
        <>
          <Money usd={limit} /> {reset ?? 'in all'}
        </>
      ),
    sortBy: ({ limit_usd: limit }) => limit,
  },
  {
    name: 'workspace',
    title: 'Workspace',
    cell: ({ workspace_id: id }) => <NamedId id={id} name={workspaces.get(id)} />,
    sortBy: ({ workspace_id: id }) => workspaces.get(id) ?? id,
  },
  {
    name: 'created',
    title: 'Created',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
];
