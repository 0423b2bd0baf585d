import type { JSX } from 'preact';
import { query } from '../../app/router.js';
import type { PageProps } from '../../app/routes.js';
import { BudgetList } from './budget-list.js';
import { OneBudget } from './one-budget.js';

/** Budgets of users, members and tags: all of them, or one by its scope, id and interval. */
export function Budgets({ rest }: PageProps): JSX.Element {
  if (rest === '') return <BudgetList />;
  const [scope = '', interval = ''] = rest.split('/');
  const name = { scope, id: query.value.get('id') ?? '', interval };
  return <OneBudget key={JSON.stringify(name)} name={name} />;
}
