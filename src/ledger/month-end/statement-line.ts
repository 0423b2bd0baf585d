import { formatUsd, parseUsd, type PicoUsd } from '../../core/money/credits.js';
import { printCell } from '../../shared/http/row-export.js';
import {
  described,
  number,
  object,
  oneOf,
  nullable,
  text,
  titled,
  integer,
  type Static,
} from '../../shared/http/schema.js';
import { printMonth } from './months.js';

/** The key of the usage that a line sums up. */
export const LINE_KINDS = ['charge', 'correction', 'purchase', 'grant', 'adjustment', 'refund'] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** A line as it is stored, and as the driver reads it: `bigint` and `numeric` are texts. */
export interface StoredLine {
  readonly kind: LineKind;
  readonly workspace_id: string | null;
  readonly workspace: string | null;
  readonly key_hash: string | null;
  readonly key_name: string | null;
  readonly member: string | null;
  readonly model: string | null;
  readonly count: string;
  readonly prompt_tokens: string;
  readonly completion_tokens: string;
  readonly cached_tokens: string;
  readonly reasoning_tokens: string;
  /** The change of the balance: below 0 where something was spent. */
  readonly amount: string;
  readonly byok_amount: string;
  readonly operator_cost: string;
}

const LINE = {
  month: described('The month of the statement.', text()),
  kind: oneOf(LINE_KINDS),
  workspace_id: described('Null for credits, which belong to the account.', nullable(text())),
  workspace: described('Its name when the month was closed.', nullable(text())),
  key: described('Hash of the key that spent.', nullable(text())),
  key_name: described('Its name when the month was closed.', nullable(text())),
  member: described('The user that the key was made for.', nullable(text())),
  model: nullable(text()),
  count: described('Entries that the line sums up.', integer()),
  prompt_tokens: described('Of charges alone: a correction changes an amount.', integer()),
  completion_tokens: integer(),
  cached_tokens: described('Those of the prompt that were read from a cache.', integer()),
  reasoning_tokens: described('Those of the completion.', integer()),
  amount: described('USD by which the balance changes: below 0 for what was spent or taken back.', number()),
  byok_amount: described('List price of calls with the account’s own credentials; not in the balance.', number()),
  operator_cost: described('Costs that no caller is charged for; not in the balance.', number()),
};

/** Entries of a month that have the same key, user, model and kind (docs/operate/month-end.md#lines). */
export const statementLineView = titled('statement-line', object(LINE));
export type StatementLineView = Static<typeof statementLineView>;

/** The columns of the csv, in their order. It never changes, as hashes are over it. */
export const LINE_COLUMNS = Object.keys(LINE) as readonly (keyof StatementLineView)[];

/** The first line of every csv. */
export const CSV_HEAD = `${LINE_COLUMNS.join(',')}\n`;

/** Amounts become JSON numbers here and nowhere earlier. */
export function viewLine(month: Date, line: StoredLine): StatementLineView {
  const { kind, workspace_id, workspace, key_hash, key_name, member, model } = line;
  return {
    month: printMonth(month),
    kind,
    workspace_id,
    workspace,
    key: key_hash,
    key_name,
    member,
    model,
    count: Number(line.count),
    prompt_tokens: Number(line.prompt_tokens),
    completion_tokens: Number(line.completion_tokens),
    cached_tokens: Number(line.cached_tokens),
    reasoning_tokens: Number(line.reasoning_tokens),
    amount: Number(line.amount),
    byok_amount: Number(line.byok_amount),
    operator_cost: Number(line.operator_cost),
  };
}

/**
 * A line of the csv: the same bytes for the same stored line, in every release, because its hash was given to others.
 * Amounts are exact decimals.
 */
export function printLine(month: Date, line: StoredLine): string {
  const texts = [line.kind, line.workspace_id, line.workspace, line.key_hash, line.key_name, line.member, line.model];
  const { count, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens } = line;
  const counts = [count, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens];
  const amounts = [line.amount, line.byok_amount, line.operator_cost].map((amount) => formatUsd(readUsd(amount)));
  return `${[printCell(printMonth(month)), ...texts.map(printCell), ...counts, ...amounts].join(',')}\n`;
}

/** A stored amount. @throws RangeError beyond the range of amounts */
export function readUsd(stored: string): PicoUsd {
  const amount = parseUsd(stored);
  if (amount === undefined) throw new RangeError('A stored amount lies beyond 10¹⁵ USD.');
  return amount;
}
