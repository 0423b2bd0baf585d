import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../core/time.js';
import { FiguresRepository } from '../figures/figures.repository.js';
import { openSince, readLines, readState, type MonthsState } from './close-month.js';
import { gatherLines, type StatementRunner } from './gather-lines.js';
import { monthAfter, startOfMonth } from './months.js';
import { readUsd, type StoredLine } from './statement-line.js';
import type { Statement } from './statement-view.js';
import { closingOf, LineSums } from './statement-totals.js';

interface ClosedRow {
  readonly month: Date;
  readonly closed_at: Date;
  readonly closed_by: string;
  readonly opening_balance: string;
  readonly credits: string;
  readonly charges: string;
  readonly corrections: string;
  readonly hash: string;
}

/** A sum of entries of a month, as the balance changes. */
interface OpenSum {
  readonly month: Date;
  readonly kind: StoredLine['kind'];
  /** Whether figures have it already, as part of what was spent. */
  readonly is_spent: boolean;
  readonly amount: string;
}

/** The source of statements. */
@Injectable()
export class StatementsRepository {
  constructor(
    private readonly database: DataSource,
    private readonly figures: FiguresRepository,
    private readonly clock: Clock,
  ) {}

  readState(accountId: string): Promise<MonthsState> {
    return readState(this.database, accountId);
  }

  /** The present month, by the database's clock. */
  async present(): Promise<Date> {
    const [row] = await this.database.query<{ now: Date }[]>(
      `SELECT clock_timestamp() + $1 * interval '1 millisecond' AS now`,
      [this.clock.aheadMs],
    );
    return startOfMonth(row!.now);
  }

  /** Closed months, newest first. @param month only this one @param store a transaction, else the store */
  async listClosed(
    accountId: string,
    month?: Date,
    store: StatementRunner = this.database,
  ): Promise<readonly Statement[]> {
    const rows = await store.query<ClosedRow[]>(
      `SELECT * FROM statements WHERE account_id = $1 AND hash IS NOT NULL AND ($2::timestamptz IS NULL OR month = $2)
       ORDER BY month DESC`,
      [accountId, month?.toISOString() ?? null],
    );
    return rows.map((row) => ({
      month: row.month,
      opening: readUsd(row.opening_balance),
      sums: {
        credits: readUsd(row.credits),
        charges: readUsd(row.charges),
        corrections: readUsd(row.corrections),
      },
      closed: { at: row.closed_at, by: row.closed_by, hash: row.hash },
    }));
  }

  /** Open months up to the present one with their present amounts, newest first. @param state complete, with a start */
  async listOpen(accountId: string, state: MonthsState): Promise<readonly Statement[]> {
    const since = openSince(state);
    const present = await this.present();
    const sums = new Map<number, LineSums>();
    for (let month = since; month <= present; month = monthAfter(month)) sums.set(month.getTime(), new LineSums());
    if (sums.size === 0) return [];
    const add = (month: Date, line: Pick<StoredLine, 'kind' | 'amount'>): void => {
      // An entry of a later month, dated by a clock that was ahead, is shown when that month begins.
      sums.get(month.getTime())?.add(line);
    };
    const entered = await this.sumEntered(accountId, since);
    // Figures include corrections in the cost of generations, so `is_spent` entries are subtracted from the charges.
    for (const { month, amount } of await this.sumSpent(accountId, since, monthAfter(present)))
      add(month, { kind: 'charge', amount: `-${amount}` });
    for (const { month, kind, amount, is_spent } of entered) {
      add(month, { kind, amount });
      if (is_spent) add(month, { kind: 'charge', amount: negated(amount) });
    }
    let opening = state.last?.closing ?? state.before;
    const statements: Statement[] = [];
    for (const [time, ofMonth] of sums) {
      statements.push({ month: new Date(time), opening, sums: ofMonth, closed: undefined });
      opening = closingOf(opening, ofMonth);
    }
    return statements.toReversed();
  }

  /** The lines of a closed month as they are stored, or of an open one with its present amounts. */
  lines(accountId: string, month: Date, state: MonthsState): AsyncGenerator<readonly StoredLine[]> {
    if (state.last && month <= state.last.month) return readLines(this.database, accountId, month);
    return gatherLines(this.database, { accountId, month, isClosed: false, openSince: openSince(state) });
  }

  private async sumSpent(
    accountId: string,
    since: Date,
    until: Date,
  ): Promise<readonly { readonly month: Date; readonly amount: string }[]> {
    const rows = await this.figures.read({
      accountId,
      since: since.getTime(),
      until: until.getTime(),
      granularity: 'month',
      dimensions: [],
      metrics: ['total_usage'],
      filters: [],
      order: [],
      limit: Number.MAX_SAFE_INTEGER,
    });
    return rows.map((row) => ({ month: row.date!, amount: String(row['total_usage']) }));
  }

  private sumEntered(accountId: string, since: Date): Promise<readonly OpenSum[]> {
    return this.database.query<OpenSum[]>(
      `SELECT date_trunc('month', created_at, 'UTC') AS month, kind, false AS is_spent, sum(amount) AS amount
       FROM credit_grants WHERE account_id = $1 AND created_at >= $2 GROUP BY 1, 2
       UNION ALL
       SELECT date_trunc('month', held_at, 'UTC'), 'correction', true, -sum(amount)
       FROM ledger_entries WHERE account_id = $1 AND kind = 'correction' AND held_at >= $2 GROUP BY 1
       UNION ALL
       SELECT greatest(date_trunc('month', entered_at, 'UTC'), $2::timestamptz), kind, false, -sum(amount)
       FROM late_entries WHERE account_id = $1 AND month IS NULL AND held_at < $2 GROUP BY 1, 2`,
      [accountId, since.toISOString()],
    );
  }
}

const negated = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);
