import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import { useDestinationNames } from '../../api/destination-names.js';
import { useKeyNames } from '../../api/key-names.js';
import type { Names } from '../../api/names.js';
import type { Alarm } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { CsvLink } from '../../parts/csv.js';
import { Link } from '../../parts/link.js';
import { NamedId } from '../../parts/named-id.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { ruleOf, ruleWords } from './alarm-words.js';

const PAGE = 50;

/** The alarms of the account. */
export function AlarmList(): JSX.Element {
  const page = { offset: String(shownOffset()), limit: String(PAGE) };
  const loaded = useData(`alarms ${page.offset}`, (signal) => call('alarmsList', { query: page }, signal));
  const columns = columnsWith(useKeyNames(), useDestinationNames());
  return (
    <>
      <h1 tabIndex={-1}>Alarms</h1>
      <AlarmParts current="alarms" />
      <Shown of={loaded}>
        {({ data, total_count: total }) => (
          <>
            <div class="toolbar">
              <Link class="button main" to="alarms/new">
                New alarm
              </Link>
              {data.length > 0 && <CsvLink operation="alarmsList" file="alarms.csv" />}
            </div>
            {data.length === 0 ? (
              <Empty>
                There is none yet. An alarm reports when money runs out, a provider fails or a credential is refused: to{' '}
                <Link to="destinations">destinations</Link>, and in what it has reported.
              </Empty>
            ) : (
              <Table caption="Alarms" hidesCaption columns={columns} rows={data} keyOf={({ id }) => id} />
            )}
            <OffsetPages size={PAGE} total={total} />
          </>
        )}
      </Shown>
    </>
  );
}

/** The parts of the page. */
export const AlarmParts = ({ current }: { readonly current: 'alarms' | 'history' }): JSX.Element => (
  <nav class="parts" aria-label="Parts of the page">
    <Link to="alarms" current={current === 'alarms'}>
      Alarms
    </Link>
    <Link to="alarms/history" current={current === 'history'}>
      What they have reported
    </Link>
    <Link to="destinations">Destinations</Link>
  </nav>
);

/** Whether it watches, in a word. */
export function AlarmState({ of: { enabled, status } }: { readonly of: Alarm }): JSX.Element {
  if (!enabled) return <span class="warn">off</span>;
  return status === 'watching' ? <span class="good">watching</span> : <span class="bad">{status}</span>;
}

const columnsWith = (keys: Names, destinations: Names): readonly Column<Alarm>[] => [
  {
    name: 'name',
    title: 'Name',
    isHeader: true,
    cell: ({ id, name }) => (
      <Link to={`alarms/${id}`}>
        <NamedId id={id} name={name} />
      </Link>
    ),
    sortBy: ({ name }) => name,
  },
  {
    name: 'state',
    title: 'State',
    cell: (alarm) => <AlarmState of={alarm} />,
    sortBy: ({ enabled, status }) => (enabled ? status : 'off'),
  },
  {
    name: 'on',
    title: 'Watches',
    wraps: true,
    cell: (alarm) => <bdi>{ruleWords(ruleOf(alarm), keys)}</bdi>,
    sortBy: (alarm) => ruleWords(ruleOf(alarm), keys),
  },
  {
    name: 'percents',
    title: 'At',
    cell: ({ percents }) => (percents === null ? '–' : `${percents.join(', ')} %`),
    sortBy: ({ percents }) => percents?.join(', ') ?? null,
  },
  {
    name: 'destinations',
    title: 'Reports to',
    cell: ({ destination_ids: ids }) =>
      ids.length === 0 ? (
        'this console'
      ) : (
        <bdi class="name">{ids.map((id) => destinations.get(id) ?? id.slice(0, 8)).join(', ')}</bdi>
      ),
    sortBy: ({ destination_ids: ids }) => ids.length,
  },
  {
    name: 'judged',
    title: 'Last judged',
    cell: ({ judged_at: at }) => <Time at={at} />,
    sortBy: ({ judged_at: at }) => at,
  },
];
