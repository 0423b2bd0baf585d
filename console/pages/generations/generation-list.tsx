import type { JSX } from 'preact';
import { useKeyNames } from '../../api/key-names.js';
import { call } from '../../api/client.js';
import type { GenerationRecord } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { query, setQuery } from '../../app/router.js';
import { CsvLink } from '../../parts/csv.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { NamedId } from '../../parts/named-id.js';
import { CursorPages } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Duration, Time, zone } from '../../parts/time.js';
import { GenerationFilters, filtersOf } from './filters.js';

const PAGE_MAX = '50';
/** Between an answer and the next request of the live list, in milliseconds. */
const LIVE_EVERY_MS = 3_000;

/** The requests, newest first, a page at a time; or live, as they are settled. */
export function GenerationList(): JSX.Element {
  const parameters = query.value;
  const cursor = parameters.get('cursor') ?? undefined;
  const isLive = parameters.has('live') && cursor === undefined;
  const filters = filtersOf(parameters);
  const page = { ...filters, ...(cursor !== undefined && { cursor }), limit: PAGE_MAX };
  const loaded = useData(
    JSON.stringify(page),
    (signal) => call('generationsList', { query: page }, signal),
    isLive ? LIVE_EVERY_MS : undefined,
  );
  const names = useKeyNames();
  return (
    <>
      <h1 tabIndex={-1}>Generations</h1>
      <GenerationFilters />
      <Toolbar filters={filters} isLive={isLive} />
      <Shown of={loaded}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing hasFilters={Object.keys(filters).length > 0} />
            ) : (
              <Table
                caption="Generations, newest first"
                hidesCaption
                columns={columnsWith(names)}
                rows={data}
                keyOf={({ id }) => id}
              />
            )}
            <CursorPages cursor={cursor} next={next} />
          </>
        )}
      </Shown>
    </>
  );
}

function Toolbar({
  filters,
  isLive,
}: {
  readonly filters: ReturnType<typeof filtersOf>;
  readonly isLive: boolean;
}): JSX.Element {
  return (
    <div class="toolbar">
      <label class="switch">
        <input
          type="checkbox"
          checked={isLive}
          onChange={({ currentTarget }) => setQuery({ live: currentTarget.checked ? '1' : '', cursor: '' }, 'replace')}
        />
        Live
      </label>
      <span role="status" class="hint">
        {isLive && 'New ones appear within seconds while this page is seen.'}
      </span>
      <CsvLink operation="generationsList" query={filters} file="generations.csv" />
    </div>
  );
}

const Nothing = ({ hasFilters }: { readonly hasFilters: boolean }): JSX.Element => (
  <Empty>
    {hasFilters
      ? 'No generation fits these filters here. Where there is a next page, some may follow on it.'
      : 'There are no generations yet. They appear here once the first request is settled.'}
  </Empty>
);

const columnsWith = (names: ReadonlyMap<string, string>): readonly Column<GenerationRecord>[] => [
  {
    name: 'time',
    title: `Time (${zone()})`,
    cell: ({ id, created_at: at }) => (
      <Link to={`generations/${id}`}>
        <Time at={at} />
      </Link>
    ),
    sortBy: ({ created_at: at }) => at,
  },
  { name: 'model', title: 'Model', cell: ({ model }) => <bdi class="name">{model}</bdi>, sortBy: ({ model }) => model },
  { name: 'provider', title: 'Provider', cell: ({ provider }) => provider ?? '–', sortBy: ({ provider }) => provider },
  {
    name: 'outcome',
    title: 'Outcome',
    cell: (one) => <Outcome of={one} />,
    sortBy: ({ status, outcome }) => `${status} ${outcome}`,
  },
  { name: 'key', title: 'Key', cell: ({ key }) => <NamedId id={key} name={names.get(key)} /> },
  {
    name: 'user',
    title: 'User',
    cell: ({ user }) => (user === null ? '–' : <bdi class="name">{user}</bdi>),
    sortBy: ({ user }) => user,
  },
  {
    name: 'tokens',
    title: 'Tokens in, out',
    isNumber: true,
    cell: ({ tokens_prompt: prompt, tokens_completion: completion }) =>
      `${prompt.toLocaleString('en')}, ${completion.toLocaleString('en')}`,
    sortBy: ({ tokens_prompt: prompt, tokens_completion: completion }) => prompt + completion,
  },
  {
    name: 'cost',
    title: 'Charged',
    isNumber: true,
    cell: ({ usage }) => <Money usd={usage} />,
    sortBy: ({ usage }) => usage,
  },
  {
    name: 'latency',
    title: 'First word',
    isNumber: true,
    cell: ({ latency }) => <Duration ms={latency} />,
    sortBy: ({ latency }) => latency,
  },
  {
    name: 'whole',
    title: 'Whole',
    isNumber: true,
    cell: ({ generation_time: whole }) => <Duration ms={whole} />,
    sortBy: ({ generation_time: whole }) => whole,
  },
];

/** Result of a generation: its outcome in a word, and the status of its reply. */
export function Outcome({
  of: { outcome, status, error_type: error },
}: {
  readonly of: GenerationRecord;
}): JSX.Element {
  return (
    <span class={error === null ? 'good' : 'bad'}>
      {outcome}
      {status !== null && status !== 200 && ` (${status})`}
    </span>
  );
}
