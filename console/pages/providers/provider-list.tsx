import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { Provider } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { query } from '../../app/router.js';
import { CatalogFaults } from '../../parts/catalog-faults.js';
import { FilterForm, type Filter } from '../../parts/filter-form.js';
import { Link } from '../../parts/link.js';
import { Empty, Shown } from '../../parts/states.js';
import { Table, type Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { loadDay, type HourOfProvider } from './day.js';
import { credentialOf, DayOfProvider, policyOf, ProviderState } from './provider-parts.js';

const EVERY_MS = 30_000;
const OWN_MAX = '100';

const FILTERS: readonly Filter[] = [
  { name: 'q', label: 'Name contains' },
  {
    name: 'state',
    label: 'State',
    options: [['', 'any'], ['called', 'called'], ['trouble', 'in trouble'], ['routable', 'routable'], ['not', 'not routable']],
  },
  { name: 'policy', label: 'Contents', options: [['', 'any'], ['zdr', 'keeps nothing'], ['no-training', 'does not train']] },
]; // oxfmt-ignore

interface Row extends Provider {
  readonly hours: readonly HourOfProvider[] | undefined;
  /** Credentials of callers' own. */
  readonly own: number;
}

/** The providers, those in trouble first. */
export function ProviderList(): JSX.Element {
  const loaded = useData(
    'providers',
    async (signal): Promise<readonly Row[]> => {
      const [{ data }, day, own] = await Promise.all([
        call('providersList', {}, signal),
        loadDay(signal),
        call('byokList', { query: { limit: OWN_MAX } }, signal),
      ]);
      const ownOf = (slug: string): number => own.data.filter(({ provider }) => provider === slug).length;
      return data
        .map((one) => ({ ...one, hours: day.get(one.slug), own: ownOf(one.slug) }))
        .toSorted((one, other) => rankOf(one) - rankOf(other) || one.name.localeCompare(other.name, 'en'));
    },
    EVERY_MS,
  );
  return (
    <>
      <h1 tabIndex={-1}>Providers</h1>
      <CatalogFaults />
      <FilterForm page="providers" filters={FILTERS} />
      <Shown of={loaded}>
        {(all) => {
          const rows = all.filter(passes);
          return (
            <>
              <p class="hint" role="status">
                {rows.length} of {all.length} providers. States are those of the last half hour.
              </p>
              {rows.length === 0 ? (
                <Empty>No provider fits these filters.</Empty>
              ) : (
                <Table
                  caption="Providers"
                  hidesCaption
                  columns={COLUMNS}
                  rows={rows}
                  keyOf={({ slug }) => slug}
                  csv="providers.csv"
                />
              )}
            </>
          );
        }}
      </Shown>
    </>
  );
}

const RANKS = { down: 0, degraded: 1, operational: 2, unknown: 3 } as const;

const rankOf = ({ status, routable, hours, needs_own_credential: needsOwn }: Row): number =>
  RANKS[status] * 8 + (hours ? 0 : 4) + (routable ? 0 : 2) + (needsOwn ? 1 : 0);

function passes({ name, slug, status, routable, data_policy: policy, hours }: Row): boolean {
  const [words, state, kept] = ['q', 'state', 'policy'].map((one) => query.value.get(one) ?? '');
  const fits: Readonly<Record<string, boolean>> = {
    called: status !== 'unknown' || hours !== undefined,
    trouble: status === 'down' || status === 'degraded',
    routable,
    not: !routable,
    zdr: policy.zero_data_retention,
    'no-training': !policy.trains,
  };
  return (
    `${name} ${slug}`.toLowerCase().includes(words!.toLowerCase()) && (fits[state!] ?? true) && (fits[kept!] ?? true)
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'name',
    title: 'Provider',
    isHeader: true,
    cell: ({ name, slug }) => (
      <Link to={`providers/${slug}`}>
        <bdi class="name" title={slug}>
          {name}
        </bdi>
      </Link>
    ),
    sortBy: ({ name }) => name,
  },
  { name: 'state', title: 'Now', cell: (one) => <ProviderState of={one} />, sortBy: ({ status }) => status },
  {
    name: 'day',
    title: 'Requests of 24 hours',
    cell: ({ hours }) => <DayOfProvider hours={hours} />,
    sortBy: ({ hours }) => hours?.reduce((sum, { value }) => sum + value, 0) ?? 0,
  },
  {
    name: 'uptime',
    title: 'Answered',
    isNumber: true,
    cell: ({ uptime_last_30m: share }) => (share === null ? '–' : `${share} %`),
    sortBy: ({ uptime_last_30m: share }) => share,
  },
  {
    name: 'latency',
    title: 'First word',
    isNumber: true,
    cell: ({ latency_last_30m: latency }) => (latency === null ? '–' : `${Math.round(latency.p50)} ms`),
    sortBy: ({ latency_last_30m: latency }) => latency?.p50 ?? null,
  },
  {
    name: 'credential',
    title: 'Credential of',
    cell: (one) => credentialOf(one, one.own),
    sortBy: (one) => credentialOf(one, one.own),
  },
  { name: 'policy', title: 'Contents', cell: policyOf, sortBy: policyOf },
  {
    name: 'routable',
    title: 'Requests can be sent',
    wraps: true,
    cell: ({ routable, reason }) => (routable ? 'yes' : `no: ${reason}`),
    sortBy: ({ routable, reason }) => (routable ? 'yes' : `no: ${reason}`),
  },
  {
    name: 'fault',
    title: 'Last fault',
    cell: ({ last_fault: fault }) =>
      fault ? (
        <>
          {fault.kind}
          {fault.status !== undefined && ` (${fault.status})`}, <Time at={fault.at} />
        </>
      ) : (
        '–'
      ),
    sortBy: ({ last_fault: fault }) => fault?.at ?? null,
  },
];
