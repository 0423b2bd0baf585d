import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { RaiseBody, SetSubjectBudgetBody, SubjectBudget } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { Deletion } from '../../parts/deletion.js';
import { EditForm } from '../../parts/edit-form.js';
import { NewForm } from '../../parts/form.js';
import type { Field } from '../../parts/form-fields.js';
import { intervalWords } from '../../parts/intervals.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { Shown } from '../../parts/states.js';
import { Time } from '../../parts/time.js';
import { budgetInputs, isDefault, subjectWords, type BudgetName } from './budget-words.js';

const LIMIT: readonly Field[] = [{ name: 'limit_usd', label: 'Budget', kind: 'money', unit: 'USD', isRequired: true }];

const RAISE: readonly Field[] = [
  {
    name: 'amount_usd',
    label: 'Raise by',
    kind: 'money',
    unit: 'USD',
    description: 'It replaces an earlier raise.',
    isRequired: true,
  },
  { name: 'until', label: 'Until', kind: 'time', unit: 'UTC', isRequired: true },
];

interface OneBudgetProps {
  readonly name: BudgetName;
}

/** The budget of a user, a member or a tag: its state, its limit, and a raise for a time. */
export function OneBudget({ name }: OneBudgetProps): JSX.Element {
  const inputs = budgetInputs(name);
  const loaded = useData(
    JSON.stringify(name),
    async (signal) => (await call('subjectBudgetsShow', inputs, signal)).data,
  );
  const [changed, setChanged] = useState<SubjectBudget>();
  return (
    <>
      <p>
        <Link to="budgets">Budgets</Link>
      </p>
      <Shown of={loaded} title="Budget">
        {(read) => {
          const budget = changed ?? read;
          return (
            <>
              <h1 tabIndex={-1}>
                Budget of <bdi>{subjectWords(budget)}</bdi>, {intervalWords(budget.interval)}
              </h1>
              <Facts of={budget} />
              <section aria-labelledby="limit">
                <h2 id="limit">Limit</h2>
                <EditForm
                  fields={LIMIT}
                  of={budget}
                  name="the budget"
                  read={async () => (await call('subjectBudgetsShow', inputs)).data}
                  save={async (body) =>
                    (await call('subjectBudgetsSet', { ...inputs, body: body as unknown as SetSubjectBudgetBody })).data
                  }
                  saved={setChanged}
                />
              </section>
              <section aria-labelledby="raise">
                <h2 id="raise">Raise it for a time</h2>
                <NewForm
                  fields={RAISE}
                  action="Raise"
                  submit={async (body) => {
                    setChanged(
                      (await call('subjectBudgetsRaise', { ...inputs, body: body as unknown as RaiseBody })).data,
                    );
                  }}
                />
              </section>
              <End of={budget} name={name} />
            </>
          );
        }}
      </Shown>
    </>
  );
}

function Facts({ of: budget }: { readonly of: SubjectBudget }): JSX.Element {
  const { scope, id, usage, held, remaining_usd: left, limit_usd: limit, raise } = budget;
  return (
    <dl class="facts columns">
      <div>
        <dt>Left</dt>
        <dd class="large">{isDefault(budget) ? 'each has its own' : <Money usd={left} />}</dd>
      </div>
      <div>
        <dt>Budget</dt>
        <dd>
          <Money usd={limit} />
        </dd>
      </div>
      <div>
        <dt>Raised</dt>
        <dd>
          {raise === null ? (
            'no'
          ) : (
            <>
              by <Money usd={raise.amount_usd} /> until <Time at={raise.until} withZone />
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Spent</dt>
        <dd>
          <Money usd={usage} />
        </dd>
      </div>
      <div>
        <dt>Under way</dt>
        <dd>
          <Money usd={held} />
        </dd>
      </div>
      {!isDefault(budget) && (
        <div>
          <dt>Requests</dt>
          <dd>
            <Link to="generations" parameters={{ [scope.slice(0, -1)]: id }}>
              Its generations
            </Link>
          </dd>
        </div>
      )}
    </dl>
  );
}

function End({ of: budget, name }: OneBudgetProps & { readonly of: SubjectBudget }): JSX.Element {
  return (
    <Deletion kind="budget" list="budgets" remove={() => call('subjectBudgetsRemove', budgetInputs(name))}>
      <p>
        The limit of <Money usd={budget.limit_usd} />
        {budget.raise && ' and its raise'} end at once.{' '}
        {isDefault(budget)
          ? 'Those without a budget of their own have none then.'
          : 'The budget of the word “default” counts then, where there is one.'}
      </p>
    </Deletion>
  );
}
