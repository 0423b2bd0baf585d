import { EntitySchema } from 'typeorm';
import { GENERATION_COLUMNS } from './generation-columns.js';

/** The table of settled generations, partitioned by the month of `held_at`. */
export const GenerationEntity = new EntitySchema({
  name: 'GenerationEntity',
  tableName: 'generations',
  columns: Object.fromEntries(Object.entries(GENERATION_COLUMNS).map(([name, { options }]) => [name, options])),
  indices: [
    { name: 'generations_newest', columns: ['account_id', 'held_at'] },
    { name: 'generations_by_request', columns: ['request_id'], where: 'request_id is not null' },
  ],
});
