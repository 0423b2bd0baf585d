import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Operations, SetSubjectBudgetBody, SubjectBudget } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { query } from '../../app/router.js';
import { CsvLink } from '../../parts/csv.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';
import { NewForm } from '../../parts/form.js';
import type { Field } from '../../parts/form-fields.js';
import { INTERVALS, intervalWords } from '../../parts/intervals.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Share } from '../../parts/share.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { budgetInputs, SCOPES, scopeWord, subjectWords } from './budget-words.js';

const PAGE = 50;

const FILTERS: readonly Filter[] = [
  { name: 'scope', label: 'Of', options: [['', 'all'], ...SCOPES.map(({ value, label }) => [value, `${label}s`] as const)] },
  { name: 'id', label: 'Id', hint: 'with one of the scopes' },
]; // oxfmt-ignore

const FIELDS: readonly Field[] = [
  { name: 'scope', label: 'For', kind: 'choice', options: SCOPES },
  {
    name: 'id',
    label: 'Id',
    kind: 'text',
    description:
      'The user or member by its id, or a tag as name=value. The word “default”: each that has none of its own.',
    placeholder: 'user-1',
    isRequired: true,
  },
  { name: 'interval', label: 'Interval', kind: 'choice', options: INTERVALS },
  { name: 'limit_usd', label: 'Budget', kind: 'money', unit: 'USD', placeholder: '5.00', isRequired: true },
];

type ListQuery = NonNullable<Operations['subjectBudgetsList']['query']>;

/** Page of the budgets of users, members and tags, last changed first. */
export function BudgetList(): JSX.Element {
  const parameters = query.value;
  const given = FILTERS.map(({ name }) => [name, parameters.get(name)] as const).filter(([, value]) => value);
  const filters: ListQuery = Object.fromEntries(given);
  const page: ListQuery = { ...filters, offset: String(shownOffset()), limit: String(PAGE) };
  const loaded = useData(JSON.stringify(page), (signal) => call('subjectBudgetsList', { query: page }, signal));
  return (
    <>
      <h1 tabIndex={-1}>Budgets</h1>
      <p>
        What end users, members and tags may spend in any workspace. A workspace has its own on its{' '}
        <Link to="workspaces">page</Link>.
      </p>
      <FilterForm page="budgets" filters={FILTERS} />
      <details class="filters">
        <summary>Set a budget</summary>
        <NewForm
          fields={FIELDS}
          begin={{ scope: 'users', interval: 'daily' }}
          action="Set the budget"
          submit={async ({ scope, id, interval, ...body }) => {
            const inputs = budgetInputs({ scope: String(scope), id: String(id), interval: String(interval) });
            await call('subjectBudgetsSet', { ...inputs, body: body as unknown as SetSubjectBudgetBody });
          }}
          done={loaded.reload}
        />
      </details>
      <Shown of={loaded}>
        {({ data, total_count: total }) => (
          <>
            {data.length === 0 ? (
              <Empty>
                {given.length > 0
                  ? 'No budget fits these filters.'
                  : 'There is none yet: only the limits of keys, the budgets of workspaces and the credits end their spending.'}
              </Empty>
            ) : (
              <>
                <div class="toolbar">
                  <span class="hint">{total.toLocaleString('en')} in all</span>
                  <CsvLink operation="subjectBudgetsList" query={filters} file="budgets.csv" />
                </div>
                <Table
                  caption="Budgets"
                  hidesCaption
                  columns={COLUMNS}
                  rows={data}
                  keyOf={({ scope, id, interval }) => JSON.stringify([scope, id, interval])}
                />
              </>
            )}
            <OffsetPages size={PAGE} total={total} />
          </>
        )}
      </Shown>
    </>
  );
}

const limitOf = ({ limit_usd: limit, raise }: SubjectBudget): number => limit + (raise?.amount_usd ?? 0);

const COLUMNS: readonly Column<SubjectBudget>[] = [
  {
    name: 'subject',
    title: 'For',
    isHeader: true,
    cell: (budget) => (
      <Link to={`budgets/${budget.scope}/${budget.interval}`} parameters={{ id: budget.id }}>
        <bdi class="name">{subjectWords(budget)}</bdi>
      </Link>
    ),
    sortBy: subjectWords,
  },
  { name: 'scope', title: 'Of', cell: ({ scope }) => scopeWord(scope), sortBy: ({ scope }) => scopeWord(scope) },
  {
    name: 'interval',
    title: 'Interval',
    cell: ({ interval }) => intervalWords(interval),
    sortBy: ({ interval }) => interval,
  },
  {
    name: 'share',
    title: 'Used',
    isNumber: true,
    cell: (budget) => (budget.usage === null ? '–' : <Share used={budget.usage} limit={limitOf(budget)} />),
    sortBy: (budget) => (budget.usage === null ? null : budget.usage / limitOf(budget)),
  },
  {
    name: 'left',
    title: 'Left',
    isNumber: true,
    cell: ({ remaining_usd: left }) => <Money usd={left} />,
    sortBy: ({ remaining_usd: left }) => left,
  },
  {
    name: 'limit',
    title: 'Budget',
    isNumber: true,
    cell: ({ limit_usd: limit }) => <Money usd={limit} />,
    sortBy: ({ limit_usd: limit }) => limit,
  },
  {
    name: 'raise',
    title: 'Raised',
    cell: ({ raise }) =>
      raise === null ? (
        '–'
      ) : (
        <>
          by <Money usd={raise.amount_usd} /> until <Time at={raise.until} />
        </>
      ),
    sortBy: ({ raise }) => raise?.amount_usd ?? null,
  },
  {
    name: 'changed',
    title: 'Changed',
    cell: ({ updated_at: at }) => <Time at={at} />,
    sortBy: ({ updated_at: at }) => at,
  },
];
