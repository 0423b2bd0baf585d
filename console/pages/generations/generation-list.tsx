import type { JSX } from 'preact';
import { useKeyNames } from '../../api/key-names.js';
import { call, operationPath } from '../../api/client.js';
import type { GenerationRecord } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { ROOT } from '../../app/base.js';
import { query, setQuery } from '../../app/router.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import { NamedId } from '../../parts/named-id.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Duration, Time, zone } from '../../parts/time.js';
import { FilterForm, filtersOf } from './filters.js';

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
      <FilterForm />
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
            <Pages cursor={cursor} next={next} />
          </>
        )}
      </Shown>
    </>
  );
}

function Toolbar({ filters, isLive }: { readonly filters: object; readonly isLive: boolean }): JSX.Element {
  const csv = new URL(operationPath('generationsList', { ...filters, format: 'csv' }), ROOT).href;
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
      <a href={csv} download="generations.csv">
        Export as CSV
      </a>
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

interface PagesProps {
  readonly cursor: string | undefined;
  readonly next: string | null;
}

/** Back by the history of the browser, which knows where the reader was. */
function Pages({ cursor, next }: PagesProps): JSX.Element | null {
  if (cursor === undefined && next === null) return null;
  const turn = (to: string): void => {
    setQuery({ cursor: to, live: '' });
    document.querySelector('h1')?.focus();
  };
  return (
    <nav class="pages" aria-label="Older and newer">
      {cursor !== undefined && (
        <button type="button" onClick={() => turn('')}>
          Newest
        </button>
      )}
      {next !== null && (
        <button type="button" onClick={() => turn(next)}>
          Older
        </button>
      )}
    </nav>
  );
}

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

/** How it ended, in a word and by its status. */
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
