import type { JSX } from 'preact';
import { call, operationPath, type ReplyOf } from '../../api/client.js';
import type { StatementLine } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { ROOT } from '../../app/base.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { Copy, NamedId } from '../../parts/named-id.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

/** Lines that are shown; the csv has all. */
const LINES_MAX = 500;

type Statement = ReplyOf<'statementsShow'>['data'];

/** The statement of a month. */
export function OneMonth({ month }: { readonly month: string }): JSX.Element {
  const loaded = useData(month, async (signal) => (await call('statementsShow', { path: { month } }, signal)).data);
  return (
    <>
      <p>
        <Link to="credits/months">Months</Link>
      </p>
      <h1 tabIndex={-1}>Statement of {month}</h1>
      <Shown of={loaded}>
        {(statement) => (
          <>
            <Facts of={statement} />
            <Lines of={statement} />
          </>
        )}
      </Shown>
    </>
  );
}

function Facts({ of: statement }: { readonly of: Statement }): JSX.Element {
  const { status, opening_balance: opening, credits, charges, corrections, closing_balance: closing } = statement;
  const amounts = [
    ['Opening balance', opening],
    ['Credits', credits],
    ['Charges', charges],
    ['Corrections', corrections],
    ['Closing balance', closing],
  ] as const;
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        {status}
        {statement.closed_at !== null && (
          <>
            , <Time at={statement.closed_at} withZone />
          </>
        )}
      </dd>
      {amounts.map(([name, usd]) => (
        <>
          <dt key={name}>{name}</dt>
          <dd>
            <Money usd={usd} />
          </dd>
        </>
      ))}
      {statement.hash !== null && (
        <>
          <dt>SHA-256 of the csv</dt>
          <dd>
            <code class="id">{statement.hash}</code> <Copy text={statement.hash}>Copy</Copy>
          </dd>
        </>
      )}
    </dl>
  );
}

function Lines({ of: { month, lines } }: { readonly of: Statement }): JSX.Element {
  const csv = new URL(operationPath('statementsShow', { path: { month }, query: { format: 'csv' } }), ROOT).href;
  return (
    <section aria-labelledby="lines">
      <h2 id="lines">Lines</h2>
      <div class="toolbar">
        <span class="hint">
          {lines.length > LINES_MAX
            ? `The first ${LINES_MAX} of ${lines.length.toLocaleString('en')}: the csv has all.`
            : `${lines.length.toLocaleString('en')} in all. The csv has exact amounts and further columns.`}
        </span>
        <a href={csv} download={`${month}.csv`}>
          Export as CSV
        </a>
      </div>
      {lines.length === 0 ? (
        <Empty>Nothing was entered or charged in it.</Empty>
      ) : (
        <Table
          caption="Lines"
          hidesCaption
          columns={COLUMNS}
          rows={lines.slice(0, LINES_MAX)}
          keyOf={({ kind, key, member, model, workspace_id: workspace }) =>
            JSON.stringify([kind, workspace, key, member, model])
          }
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<StatementLine>[] = [
  { name: 'kind', title: 'Kind', cell: ({ kind }) => kind, sortBy: ({ kind }) => kind },
  {
    name: 'workspace',
    title: 'Workspace',
    cell: ({ workspace_id: id, workspace }) => (id === null ? '–' : <NamedId id={id} name={workspace ?? undefined} />),
    sortBy: ({ workspace }) => workspace,
  },
  {
    name: 'key',
    title: 'Key',
    cell: ({ key, key_name: name }) => (key === null ? '–' : <NamedId id={key} name={name ?? undefined} />),
    sortBy: ({ key_name: name }) => name,
  },
  {
    name: 'member',
    title: 'Member',
    cell: ({ member }) => (member === null ? '–' : <bdi class="name">{member}</bdi>),
    sortBy: ({ member }) => member,
  },
  {
    name: 'model',
    title: 'Model',
    cell: ({ model }) => (model === null ? '–' : <bdi class="name">{model}</bdi>),
    sortBy: ({ model }) => model,
  },
  {
    name: 'count',
    title: 'Count',
    isNumber: true,
    cell: ({ count }) => count.toLocaleString('en'),
    sortBy: ({ count }) => count,
  },
  {
    name: 'tokens',
    title: 'Tokens in, out',
    isNumber: true,
    cell: ({ prompt_tokens: prompt, completion_tokens: completion }) =>
      `${prompt.toLocaleString('en')}, ${completion.toLocaleString('en')}`,
    sortBy: ({ prompt_tokens: prompt, completion_tokens: completion }) => prompt + completion,
  },
  {
    name: 'amount',
    title: 'Amount',
    isNumber: true,
    cell: ({ amount }) => <Money usd={amount} />,
    sortBy: ({ amount }) => amount,
  },
];
