import { EntitySchema } from 'typeorm';
import { GENERATION_COLUMNS } from './generation-columns.js';

/** The table of settled generations, partitioned by the month of `held_at`. */
export const GenerationEntity = new EntitySchema({
  name: 'GenerationEntity',
  tableName: 'generations',
  columns: Object.fromEntries(Object.entries(GENERATION_COLUMNS).map(([name, { options }]) => [name, options])),
  indices: [
    { name: 'generations_newest', columns: ['account_id', 'held_at'] },
    { name: 'generations_by_key', columns: ['key_hash', 'held_at'] },
    { name: 'generations_by_workspace', columns: ['workspace_id', 'held_at'] },
    // Over the hash of a text, which TypeORM does not know.
    { name: 'generations_by_session', synchronize: false },
    { name: 'generations_by_user', synchronize: false },
    {
      name: 'generations_by_outcome',
      columns: ['account_id', 'outcome', 'held_at'],
      where: `outcome <> 'completed'`,
    },
    { name: 'generations_operator_cost', columns: ['account_id', 'held_at'], where: 'operator_cost <> 0' },
    { name: 'generations_by_request', columns: ['request_id'], where: 'request_id is not null' },
  ],
});
