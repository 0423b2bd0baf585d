import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { Budget, SetBudgetBody } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { Confirm } from '../../parts/dialog.js';
import { NewForm } from '../../parts/form.js';
import type { Field } from '../../parts/form-fields.js';
import { INTERVALS, intervalWords } from '../../parts/intervals.js';
import { Money } from '../../parts/money.js';
import { Share } from '../../parts/share.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

const FIELDS: readonly Field[] = [
  { name: 'interval', label: 'Interval', kind: 'choice', options: INTERVALS },
  {
    name: 'limit_usd',
    label: 'Budget',
    kind: 'money',
    unit: 'USD',
    description: 'It replaces one of the same interval. A shorter interval has a smaller budget.',
    placeholder: '100.00',
    isRequired: true,
  },
];

/** Budgets of a workspace, by interval. */
export function WorkspaceBudgets({ reference }: { readonly reference: string }): JSX.Element {
  const loaded = useData(
    `budgets of ${reference}`,
    async (signal) => (await call('budgetsList', { path: { reference } }, signal)).data,
  );
  const [leaving, setLeaving] = useState<Budget>();
  return (
    <section aria-labelledby="budgets">
      <h2 id="budgets">Budgets</h2>
      <Shown of={loaded}>
        {(budgets) =>
          budgets.length === 0 ? (
            <Empty>It has none: only the credits of the account end its spending.</Empty>
          ) : (
            <Table
              caption="Budgets"
              hidesCaption
              columns={columnsWith(setLeaving)}
              rows={budgets}
              csv="workspace-budgets.csv"
              keyOf={({ interval }) => interval}
            />
          )
        }
      </Shown>
      <details>
        <summary>Set a budget</summary>
        <NewForm
          fields={FIELDS}
          begin={{ interval: 'monthly' }}
          action="Set the budget"
          submit={async ({ interval, ...body }) => {
            const path = { reference, interval: String(interval) };
            await call('budgetsSet', { path, body: body as unknown as SetBudgetBody });
          }}
          done={loaded.reload}
        />
      </details>
      {leaving && (
        <Confirm
          title="Delete this budget?"
          action="Delete the budget"
          act={async () => {
            await call('budgetsRemove', { path: { reference, interval: leaving.interval } });
            loaded.reload();
          }}
          close={() => setLeaving(undefined)}
        >
          <p>
            The limit of <Money usd={leaving.limit_usd} /> {intervalWords(leaving.interval)} ends at once, and what was
            counted toward it is lost: a new one begins at nothing.
          </p>
        </Confirm>
      )}
    </section>
  );
}

const columnsWith = (leave: (budget: Budget) => void): readonly Column<Budget>[] => [
  { name: 'interval', title: 'Interval', isHeader: true, cell: ({ interval }) => intervalWords(interval) },
  {
    name: 'share',
    title: 'Used',
    isNumber: true,
    cell: ({ usage, limit_usd: limit }) => <Share used={usage} limit={limit} />,
    sortBy: ({ usage, limit_usd: limit }) => usage / limit,
  },
  { name: 'usage', title: 'Spent', isNumber: true, cell: ({ usage }) => <Money usd={usage} /> },
  { name: 'held', title: 'Under way', isNumber: true, cell: ({ held }) => <Money usd={held} /> },
  {
    name: 'left',
    title: 'Left',
    isNumber: true,
    cell: ({ remaining }) => <Money usd={remaining} />,
    sortBy: ({ remaining }) => remaining,
  },
  {
    name: 'limit',
    title: 'Budget',
    isNumber: true,
    cell: ({ limit_usd: limit }) => <Money usd={limit} />,
    sortBy: ({ limit_usd: limit }) => limit,
  },
  { name: 'resets', title: 'Begins anew', cell: ({ resets_at: at }) => <Time at={at} withZone /> },
  {
    name: 'remove',
    title: 'Action',
    cell: (budget) => (
      <button type="button" class="quiet" onClick={() => leave(budget)}>
        Delete<span class="unseen"> the budget {intervalWords(budget.interval)}</span>
      </button>
    ),
  },
];
