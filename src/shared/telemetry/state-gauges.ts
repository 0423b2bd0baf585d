import { Gauge, type Registry } from 'prom-client';

/** One value of a gauge, with its labels in order. */
export type StateSample = readonly [value: number, ...labels: string[]];

interface StateGauge {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /**
   * The function that combines the values of several processes of one gateway. Views of the same thing are not summed.
   */
  readonly aggregator: 'sum' | 'min' | 'max';
}

/** Read from other parts when the metrics are requested, instead of counted. */
const STATES = {
  build: {
    name: 'fairlead_build_info',
    help: '1; which release this is, and the Node that runs it.',
    labels: ['version', 'node'],
    aggregator: 'max',
  },
  bytesInFlight: {
    name: 'fairlead_bytes_in_flight',
    help: 'Bytes of bodies, of fetched media and of pages that open requests hold, of FAIRLEAD_BODIES_IN_FLIGHT.',
    aggregator: 'sum',
  },
  openHolds: {
    name: 'fairlead_open_holds',
    help: 'Reservations of this gateway that are neither settled nor released.',
    aggregator: 'sum',
  },
  spoolWaiting: {
    name: 'fairlead_spool_waiting',
    help: 'Settlements that wait for the database, on the disk or in memory.',
    aggregator: 'sum',
  },
  databaseUp: {
    name: 'fairlead_database_up',
    help: '1 while the database answers, else 0.',
    aggregator: 'min',
  },
  databaseConnections: {
    name: 'fairlead_database_connections',
    help: 'Connections to the database, by whether a statement has them.',
    labels: ['state'],
    aggregator: 'sum',
  },
  databaseWaiting: {
    name: 'fairlead_database_waiting',
    help: 'Statements and transactions that wait for a connection.',
    aggregator: 'sum',
  },
  redisUp: {
    name: 'fairlead_redis_up',
    help: '1 while Redis answers, else 0; no value without REDIS_URL.',
    aggregator: 'min',
  },
  catalog: {
    name: 'fairlead_catalog_info',
    help: '1; the hash of the active catalog.',
    labels: ['hash'],
    aggregator: 'max',
  },
  catalogLoadedAt: {
    name: 'fairlead_catalog_loaded_timestamp_seconds',
    help: 'When that catalog became active, in seconds since 1970.',
    aggregator: 'max',
  },
  catalogRefused: {
    name: 'fairlead_catalog_refused',
    help: '1 while the catalog file has errors and the previous catalog stays active, otherwise 0.',
    aggregator: 'max',
  },
  outboxWaiting: {
    name: 'fairlead_outbox_waiting',
    help: 'Events that wait for destinations, each for each of them, of the whole store.',
    labels: ['type'],
    aggregator: 'max',
  },
  outboxOldest: {
    name: 'fairlead_outbox_oldest_seconds',
    help: 'Age of the oldest of them.',
    labels: ['type'],
    aggregator: 'max',
  },
  endpoints: {
    name: 'fairlead_endpoints_unavailable',
    help: 'Endpoints not called in their turn: paused for all, out (an outage) or paused_for_some callers.',
    labels: ['provider', 'state'],
    aggregator: 'max',
  },
} as const satisfies Readonly<Record<string, StateGauge>>;

export type WatchedState = keyof typeof STATES;

/** Gauges whose values are read when the metrics are requested. One without a reader has no value. */
export class StateGauges {
  private readonly readers = new Map<WatchedState, () => readonly StateSample[]>();

  constructor(registry: Registry) {
    for (const [state, gauge] of Object.entries(STATES)) this.register(registry, state as WatchedState, gauge);
  }

  watch(state: WatchedState, read: () => readonly StateSample[]): void {
    this.readers.set(state, read);
  }

  private register(registry: Registry, state: WatchedState, { name, help, labels = [], aggregator }: StateGauge): void {
    const { readers } = this;
    const gauge = new Gauge({
      name,
      help,
      labelNames: labels,
      aggregator,
      registers: [registry],
      collect() {
        this.reset();
        // Without labels the library starts with a 0 that was never measured.
        if (labels.length === 0) this.remove();
        for (const [value, ...values] of readers.get(state)?.() ?? [])
          this.set(Object.fromEntries(labels.map((label, index) => [label, values[index]!])), value);
      },
    });
    void gauge;
  }
}
