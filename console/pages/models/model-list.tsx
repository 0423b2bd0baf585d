import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Operations } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { query } from '../../app/router.js';
import { CatalogFaults } from '../../parts/catalog-faults.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table } from '../../parts/table.js';
import { modelColumns } from './model-columns.js';

const PAGE = 50;

const FILTERS: readonly Filter[] = [
  { name: 'q', label: 'Name contains', hint: 'sonnet' },
  { name: 'providers', label: 'Provider', hint: 'slug' },
  { name: 'model_authors', label: 'Author', hint: 'anthropic' },
  { name: 'input_modalities', label: 'Reads', hint: 'image' },
  { name: 'context', label: 'Context, at least', hint: '200000' },
  { name: 'max_price', label: 'Prompt, USD a million, at most', hint: '1' },
  { name: 'zdr', label: 'Zero data retention', options: [['', 'any'], ['true', 'only']] },
  { name: 'callable', label: 'Can be called', options: [['', 'any'], ['true', 'yes']] },
  {
    name: 'sort',
    label: 'Order of all pages',
    options: [
      ['', 'of the catalog'], ['newest', 'newest first'], ['pricing-low-to-high', 'cheapest first'],
      ['pricing-high-to-low', 'dearest first'], ['context-high-to-low', 'longest context first'],
      ['intelligence-high-to-low', 'most intelligent first'], ['throughput-high-to-low', 'fastest first'],
    ],
  },
]; // oxfmt-ignore

type ListQuery = NonNullable<Operations['modelsList']['query']>;

/** The models of the catalog, a page at a time. */
export function ModelList(): JSX.Element {
  const given = FILTERS.map(({ name }) => [name, query.value.get(name)] as const).filter(([, value]) => value);
  const page: ListQuery = { ...Object.fromEntries(given), offset: String(shownOffset()), limit: String(PAGE) };
  const loaded = useData(JSON.stringify(page), (signal) => call('modelsList', { query: page }, signal));
  return (
    <>
      <h1 tabIndex={-1}>Models</h1>
      <CatalogFaults />
      <FilterForm page="models" filters={FILTERS} />
      <Shown of={loaded}>
        {({ data, total_count: total }) => (
          <>
            <p class="hint" role="status">
              {total.toLocaleString('en')} {total === 1 ? 'model' : 'models'}. Prices are those of the cheapest
              endpoint.
            </p>
            {data.length === 0 ? (
              <Empty>No model fits these filters.</Empty>
            ) : (
              <Table
                caption="Models"
                hidesCaption
                columns={modelColumns}
                rows={data}
                keyOf={({ id }) => id}
                csv="models.csv"
              />
            )}
            <OffsetPages size={PAGE} total={total} />
          </>
        )}
      </Shown>
    </>
  );
}
