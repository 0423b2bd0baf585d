import type { JSX } from 'preact';
import { Link } from '../../parts/link.js';

/** The parts of the page. */
export const CreditsParts = ({ current }: { readonly current: 'entries' | 'months' }): JSX.Element => (
  <nav class="parts" aria-label="Parts of the page">
    <Link to="credits" current={current === 'entries'}>
      Entries
    </Link>
    <Link to="credits/months" current={current === 'months'}>
      Months
    </Link>
  </nav>
);
