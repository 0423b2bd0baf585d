import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AuditActor } from '../../audit/audit-log.js';
import { GatewayError } from '../../core/errors.js';
import { Clock } from '../../core/time.js';
import { ManagedChanges } from '../../management/managed-changes.js';
import { ManagedKind } from '../../management/managed-kind.js';
import {
  announce,
  complete,
  copyCorrectable,
  noSuchMonth,
  postSettled,
  summarize,
  waitForPostings,
  writeLines,
  type Closing,
  type MonthsState,
} from './close-month.js';
import { monthAfter, printMonth } from './months.js';
import type { StoredLine } from './statement-line.js';
import { viewStatement, type Statement } from './statement-view.js';
import { StatementsRepository } from './statements.repository.js';

/** Closed months as the audit log shows them. */
const STATEMENT = new ManagedKind<Statement>('statement', (statement) => ({
  target: printMonth(statement.month),
  view: viewStatement(statement),
}));

/** A month with its lines. */
export interface StatementWithLines {
  readonly statement: Statement;
  readonly lines: AsyncGenerator<readonly StoredLine[]>;
}

/** The months of an account, and how they are closed. */
@Injectable()
export class StatementsService {
  constructor(
    private readonly statements: StatementsRepository,
    private readonly changes: ManagedChanges,
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  async list(accountId: string): Promise<readonly Statement[]> {
    const state = await this.readState(accountId);
    if (!state.start) return [];
    return [...(await this.statements.listOpen(accountId, state)), ...(await this.statements.listClosed(accountId))];
  }

  /** @throws GatewayError `invalid-request` for a month to come; `not-found` for one before the account */
  async get(accountId: string, month: Date): Promise<StatementWithLines> {
    const state = await this.readState(accountId);
    await this.assertBegun(month);
    if (!state.start || month < state.start) throw noSuchMonth(month);
    const isClosed = state.last !== undefined && month <= state.last.month;
    const found = isClosed
      ? await this.statements.listClosed(accountId, month)
      : await this.statements.listOpen(accountId, state);
    const statement = found.find((candidate) => candidate.month.getTime() === month.getTime());
    if (!statement) throw noSuchMonth(month);
    return { statement, lines: this.statements.lines(accountId, month, state) };
  }

  /**
   * Closes a month, once: a repetition returns the same statement.
   * @throws GatewayError `invalid-request`, `not-found` as `get`; `conflict` where it cannot be closed yet
   */
  async close(actor: AuditActor, month: Date): Promise<Statement> {
    const { accountId, keyHash } = actor;
    await this.assertBegun(month);
    await this.readState(accountId);
    const closing: Closing = { accountId, month, by: keyHash, aheadMs: this.clock.aheadMs };
    await postSettled(this.database, accountId, monthAfter(month));
    const isNew = await this.database.transaction('READ COMMITTED', (manager) => announce(manager, closing));
    if (isNew) await this.finish(actor, closing);
    else await this.readState(accountId);
    const [statement] = await this.statements.listClosed(accountId, month);
    return statement!;
  }

  /** A month whose closing was cut off, or is under way in another process, is closed first. */
  private async readState(accountId: string): Promise<MonthsState> {
    const state = await this.statements.readState(accountId);
    if (!state.last || state.last.isComplete) return state;
    const { month } = state.last;
    const [row] = await this.database.query<{ closed_by: string }[]>(
      'SELECT closed_by FROM statements WHERE account_id = $1 AND month = $2',
      [accountId, month.toISOString()],
    );
    const by = row!.closed_by;
    await this.finish({ accountId, keyHash: by, userId: null }, { accountId, month, by, aheadMs: this.clock.aheadMs });
    return this.statements.readState(accountId);
  }

  private async finish(actor: AuditActor, closing: Closing): Promise<void> {
    const { accountId, month } = closing;
    await this.database.transaction('READ COMMITTED', (manager) => waitForPostings(manager));
    await copyCorrectable(this.database, closing);
    await writeLines(this.database, closing);
    const summary = await summarize(this.database, accountId, month);
    await this.changes.run(actor, async (manager) => {
      if (!(await complete(manager, closing, summary))) return { result: undefined, entries: [] };
      const [statement] = await this.statements.listClosed(accountId, month, manager);
      const after = viewStatement(statement!);
      return { result: undefined, entries: [STATEMENT.entry('close', statement!, { after })] };
    });
  }

  private async assertBegun(month: Date): Promise<void> {
    if (month > (await this.statements.present()))
      throw new GatewayError('invalid-request', `month: ${printMonth(month)} has not begun`);
  }
}
