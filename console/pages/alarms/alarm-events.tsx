import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import { useDestinationNames } from '../../api/destination-names.js';
import type { Names } from '../../api/names.js';
import type { AlarmEvent } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { CsvLink } from '../../parts/csv.js';
import { Link } from '../../parts/link.js';
import { OffsetPages, shownOffset } from '../../parts/pages.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time, zone } from '../../parts/time.js';

const PAGE = 50;
/** Interval of reading while the list is visible, because deliveries continue. */
const EVERY_MS = 10_000;

/**
 * List of reports of alarms, newest first.
 * @param alarmId limits the list to one alarm
 */
export function AlarmEvents({ alarmId }: { readonly alarmId?: string }): JSX.Element {
  const filters = { alarm_id: alarmId };
  const page = { ...filters, offset: String(shownOffset()), limit: String(PAGE) };
  const load = (signal: AbortSignal) => call('alarmsHistory', { query: page }, signal);
  const loaded = useData(JSON.stringify(page), load, EVERY_MS);
  const columns = columnsWith(useDestinationNames(), alarmId === undefined);
  return (
    <Shown of={loaded}>
      {({ data, total_count: total }) => (
        <>
          {data.length === 0 ? (
            <Empty>Nothing was reported within 30 days.</Empty>
          ) : (
            <Table
              caption="What was reported, newest first"
              hidesCaption
              columns={columns}
              rows={data}
              keyOf={({ id }) => id}
              csv={<CsvLink operation="alarmsHistory" query={filters} file="alarm-events.csv" />}
            />
          )}
          <OffsetPages size={PAGE} total={total} />
        </>
      )}
    </Shown>
  );
}

const messageOf = ({ type, data }: AlarmEvent): string =>
  typeof data['message'] === 'string' ? data['message'] : type;

const alarmOf = ({ data, alarm_id: id }: AlarmEvent): string => {
  const name = (data['alarm'] as { readonly name?: unknown } | undefined)?.name;
  return typeof name === 'string' ? name : id.slice(0, 8);
};

const columnsWith = (destinations: Names, hasAlarm: boolean): readonly Column<AlarmEvent>[] => [
  {
    name: 'time',
    title: `Time (${zone()})`,
    cell: ({ occurred_at: at }) => <Time at={at} />,
    sortBy: ({ occurred_at: at }) => at,
  },
  { name: 'message', title: 'Report', wraps: true, cell: (event) => <bdi>{messageOf(event)}</bdi>, sortBy: messageOf },
  {
    name: 'deliveries',
    title: 'Delivered',
    wraps: true,
    cell: ({ deliveries }) =>
      deliveries.length === 0
        ? 'to no destination'
        : deliveries.map((one) => <Delivery key={one.destination_id} of={one} destinations={destinations} />),
    sortBy: ({ deliveries }) => deliveries.map(({ status }) => status).join(', '),
  },
  ...(hasAlarm
    ? [
        {
          name: 'alarm',
          title: 'Alarm',
          cell: (event: AlarmEvent) => (
            <Link to={`alarms/${event.alarm_id}`}>
              <bdi class="name">{alarmOf(event)}</bdi>
            </Link>
          ),
          sortBy: alarmOf,
        },
      ]
    : []),
];

const LOOKS = { waiting: 'warn', sent: 'good', given_up: 'bad' } as const;

interface DeliveryProps {
  readonly of: AlarmEvent['deliveries'][number];
  readonly destinations: Names;
}

const Delivery = ({ of: { destination_id: id, status, attempts, last_error: error, next_attempt_at: next }, destinations }: DeliveryProps): JSX.Element => (
  <div>
    <bdi>{destinations.get(id) ?? id.slice(0, 8)}</bdi>:{' '}
    <span class={LOOKS[status]}>{status === 'given_up' ? 'given up' : status}</span>
    {attempts > 1 && `, ${attempts} attempts`}
    {status !== 'sent' && error !== null && `: ${error}`}
    {next !== null && attempts > 0 && (
      <>
        {' '}
        Again at <Time at={next} />.
      </>
    )}
  </div>
); // oxfmt-ignore
