import { usdNumber, type PicoUsd } from '../../core/money/credits.js';
import {
  described,
  moment,
  nullable,
  number,
  object,
  oneOf,
  text,
  titled,
  type Static,
} from '../../shared/http/schema.js';
import { printMonth } from './months.js';
import { closingOf, type MonthSums } from './statement-totals.js';

/** A month of an account: closed, or open with its present amounts. */
export interface Statement {
  readonly month: Date;
  readonly opening: PicoUsd;
  readonly sums: MonthSums;
  /** Undefined while the month is open. */
  readonly closed: { readonly at: Date; readonly by: string; readonly hash: string } | undefined;
}

const TOTALS = {
  month: described('A UTC month.', text()),
  status: described('A closed month does not change.', oneOf(['open', 'closed'])),
  opening_balance: described('The closing balance of the month before.', number()),
  credits: described('Entered credits: purchases, grants, adjustments and refunds.', number()),
  charges: described('Charges of generations.', number()),
  corrections: described('The change of the balance by corrections of charges.', number()),
  closing_balance: described('opening_balance + credits - charges + corrections.', number()),
  closed_at: described('Null while it is open.', nullable(moment())),
  closed_by: described('Hash of the key that closed it, or `retention`.', nullable(text())),
  hash: described('Lowercase hex SHA-256 of its csv. Null while it is open.', nullable(text())),
};

/** The totals of a month (docs/operate/month-end.md#statements). */
export const statementView = titled('statement', object(TOTALS));
export type StatementView = Static<typeof statementView>;

/** The view of a statement that its lines follow. */
export const STATEMENT_FIELDS = TOTALS;

/** Amounts become JSON numbers here and nowhere earlier. */
export function viewStatement({ month, opening, sums, closed }: Statement): StatementView {
  return {
    month: printMonth(month),
    status: closed ? 'closed' : 'open',
    opening_balance: usdNumber(opening),
    credits: usdNumber(sums.credits),
    charges: usdNumber(sums.charges),
    corrections: usdNumber(sums.corrections),
    closing_balance: usdNumber(closingOf(opening, sums)),
    closed_at: closed?.at.toISOString() ?? null,
    closed_by: closed?.by ?? null,
    hash: closed?.hash ?? null,
  };
}
