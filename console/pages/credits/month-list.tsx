import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Statement } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { Confirm } from '../../parts/dialog.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { CreditsParts } from './credits-parts.js';

/** The months of the account, and their closing. */
export function MonthList(): JSX.Element {
  const loaded = useData('months', async (signal) => (await call('statementsList', {}, signal)).data);
  const [closing, setClosing] = useState<Statement>();
  return (
    <>
      <h1 tabIndex={-1}>Months</h1>
      <CreditsParts current="months" />
      <p>
        Closed months stay as they were closed; open ones are shown as they stand. A month is of UTC, and can be closed
        once it has ended and all its calls are settled.
      </p>
      <Shown of={loaded}>
        {(months) =>
          months.length === 0 ? (
            <Empty>There is none yet: the first entry opens the first month.</Empty>
          ) : (
            <Table
              caption="Months, newest first"
              hidesCaption
              columns={columnsWith(setClosing)}
              rows={months}
              keyOf={({ month }) => month}
              csv="months.csv"
            />
          )
        }
      </Shown>
      {closing && (
        <Confirm
          title={`Close ${closing.month}?`}
          action="Close the month"
          act={async () => {
            await call('statementsClose', { path: { month: closing.month } });
            loaded.reload();
          }}
          close={() => setClosing(undefined)}
        >
          <p>
            Its statement and its hash are then final: no one can open it again. What is entered for it later belongs to
            an open month. Empty months before it are closed with it.
          </p>
        </Confirm>
      )}
    </>
  );
}

const isOver = ({ month }: Statement): boolean => month < new Date().toISOString().slice(0, 7);

const amount = (
  name: 'opening_balance' | 'credits' | 'charges' | 'corrections' | 'closing_balance',
  title: string,
): Column<Statement> => ({
  name,
  title,
  isNumber: true,
  cell: (statement) => <Money usd={statement[name]} />,
  sortBy: (statement) => statement[name],
});

const columnsWith = (close: (statement: Statement) => void): readonly Column<Statement>[] => [
  {
    name: 'month',
    title: 'Month',
    isHeader: true,
    cell: ({ month }) => <Link to={`credits/months/${month}`}>{month}</Link>,
    sortBy: ({ month }) => month,
  },
  {
    name: 'status',
    title: 'State',
    cell: (statement) =>
      statement.status === 'open' && isOver(statement) ? (
        <button type="button" class="quiet" onClick={() => close(statement)}>
          Close<span class="unseen"> {statement.month}</span>
        </button>
      ) : (
        <span class={statement.status === 'closed' ? 'good' : undefined}>{statement.status}</span>
      ),
    sortBy: ({ status }) => status,
  },
  amount('opening_balance', 'Opening balance'),
  amount('credits', 'Credits'),
  amount('charges', 'Charges'),
  amount('corrections', 'Corrections'),
  amount('closing_balance', 'Closing balance'),
  {
    name: 'closed',
    title: 'Closed',
    cell: ({ closed_at: at }) => <Time at={at} />,
    sortBy: ({ closed_at: at }) => at,
  },
];
