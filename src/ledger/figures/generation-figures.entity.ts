import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { DIMENSION_NAMES, MEASURE_NAMES, type DimensionColumn, type MeasureColumn } from './figure-columns.js';

/** Columns that are null in some rows. */
const NULLABLE: readonly DimensionColumn[] = ['key_hash', 'member', 'provider', 'endpoint', 'dialect'];

function dimension(name: DimensionColumn): EntitySchemaColumnOptions {
  if (name === 'is_answered') return { type: 'boolean' };
  return { type: name.endsWith('_id') ? 'uuid' : 'text', nullable: NULLABLE.includes(name) };
}

const measure = (name: MeasureColumn): EntitySchemaColumnOptions =>
  name.endsWith('cost') ? { type: 'numeric', precision: 38, scale: 12 } : { type: 'bigint' };

/** Sums of generations of an hour, a day or a week. TypeORM needs a key; nothing else does. */
export const GenerationFiguresEntity = new EntitySchema({
  name: 'GenerationFiguresEntity',
  tableName: 'generation_figures',
  columns: {
    id: { type: 'uuid', primary: true },
    span: { type: 'text' },
    at: { type: 'timestamptz', precision: 3 },
    detail: { type: 'text' },
    is_kept: { type: 'boolean', default: false },
    ...Object.fromEntries(DIMENSION_NAMES.map((name) => [name, dimension(name)])),
    provider_name: { type: 'text', nullable: true },
    ...Object.fromEntries(MEASURE_NAMES.map((name) => [name, measure(name)])),
  },
  checks: [
    { name: 'generation_figures_span_check', expression: `span in ('hour', 'day', 'week')` },
    { name: 'generation_figures_detail_check', expression: `detail in ('none', 'member', 'key')` },
  ],
  indices: [
    { name: 'generation_figures_at', columns: ['at', 'span', 'detail', 'account_id'] },
    { name: 'generation_figures_by_key', columns: ['key_hash', 'at'], where: `detail = 'key'` },
    { name: 'generation_figures_kept', columns: ['at'], where: 'is_kept' },
    ...(['model', 'provider', 'endpoint'] as const).map((name) => ({
      name: `generation_figures_${name}s`,
      columns: ['account_id', name],
      synchronize: false as const,
    })),
  ],
});
