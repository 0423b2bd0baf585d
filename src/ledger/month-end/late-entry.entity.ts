import { EntitySchema } from 'typeorm';

/** An entry that was posted after its month was closed, or a charge of a closed month that may be corrected. */
export const LateEntryEntity = new EntitySchema({
  name: 'LateEntryEntity',
  tableName: 'late_entries',
  columns: {
    generation_id: { type: 'text', primary: true },
    held_at: { type: 'timestamptz', precision: 3, primary: true },
    kind: { type: 'text', primary: true },
    account_id: { type: 'uuid' },
    /** The statement that has it; null: none yet. */
    month: { type: 'timestamptz', precision: 3, nullable: true },
    entered_at: { type: 'timestamptz', precision: 3 },
    workspace_id: { type: 'uuid' },
    key_hash: { type: 'text' },
    member: { type: 'text', nullable: true },
    model: { type: 'text', nullable: true },
    prompt_tokens: { type: 'bigint' },
    completion_tokens: { type: 'bigint' },
    cached_tokens: { type: 'bigint' },
    reasoning_tokens: { type: 'bigint' },
    amount: { type: 'numeric', precision: 38, scale: 12 },
    byok_amount: { type: 'numeric', precision: 38, scale: 12 },
    operator_cost: { type: 'numeric', precision: 38, scale: 12 },
  },
  indices: [{ name: 'late_entries_by_month', columns: ['account_id', 'month'] }],
});
