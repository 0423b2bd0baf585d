import type { JSX } from 'preact';
import type { PageProps } from '../../app/routes.js';
import { EnterCredits } from './enter-credits.js';
import { EntryList } from './entry-list.js';
import { MonthList } from './month-list.js';
import { OneMonth } from './one-month.js';

/** The credits: entries, months, or the form that enters some. */
export function Credits({ rest }: PageProps): JSX.Element {
  if (rest === '') return <EntryList />;
  if (rest === 'new') return <EnterCredits />;
  return rest === 'months' ? <MonthList /> : <OneMonth key={rest} month={rest.replace(/^months\//, '')} />;
}
