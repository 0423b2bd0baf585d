import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';

const text: EntitySchemaColumnOptions = { type: 'text', nullable: true };
const bigint: EntitySchemaColumnOptions = { type: 'bigint' };
const usd: EntitySchemaColumnOptions = { type: 'numeric', precision: 38, scale: 12 };

const TEXT_COLUMNS = ['workspace_id', 'workspace', 'key_hash', 'key_name', 'member', 'model'] as const;
/** Numbers of tokens, and of entries. */
const COUNTED_COLUMNS = ['count', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'reasoning_tokens'] as const;
const AMOUNT_COLUMNS = ['amount', 'byok_amount', 'operator_cost'] as const;

const columnsOf = (
  names: readonly string[],
  options: EntitySchemaColumnOptions,
): Record<string, EntitySchemaColumnOptions> => Object.fromEntries(names.map((name) => [name, options]));

/** A line of a statement. */
export const StatementLineEntity = new EntitySchema({
  name: 'StatementLineEntity',
  tableName: 'statement_lines',
  columns: {
    account_id: { type: 'uuid', primary: true },
    month: { type: 'timestamptz', precision: 3, primary: true },
    /** Number of the line in the order of its csv. */
    place: { type: 'integer', primary: true },
    kind: { type: 'text' },
    ...columnsOf(TEXT_COLUMNS, text),
    ...columnsOf(COUNTED_COLUMNS, bigint),
    ...columnsOf(AMOUNT_COLUMNS, usd),
  },
});
