import type { INestApplicationContext } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { OutboxFigures } from '../destinations/outbox-figures.js';
import type { Trouble } from '../endpoint-health/endpoint-record.js';
import { HealthRegistry } from '../endpoint-health/health-registry.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { ProviderRegistry } from '../providers/registry.js';
import { BytesInFlight } from '../shared/queues/bytes-in-flight.js';
import { DatabaseHealth } from '../shared/database/database-health.js';
import { Statements } from '../shared/database/statements.js';
import { Metrics, type MeasuredLeg } from '../shared/telemetry/metrics.js';
import { PACKAGE_VERSION } from '../shared/package-version.js';
import { ReplicaLink } from '../shared/redis/replicated-map-link.js';
import type { StateSample } from '../shared/telemetry/state-gauges.js';

const MS_PER_SECOND = 1_000;

/** Connects the gauges with the modules whose state they read, so that no module depends on the metrics. */
export function watchState(app: INestApplicationContext): void {
  const find = { strict: false };
  const metrics = app.get(Metrics);
  const bytes = app.get(BytesInFlight);
  const catalog = app.get(CatalogStore, find);
  const ledger = app.get(LedgerService, find);
  const endpoints = app.get(HealthRegistry, find);
  const statements = app.get(Statements, find);
  const database = app.get(DatabaseHealth, find);
  const replicas = app.get(ReplicaLink, find);
  const registry = app.get(ProviderRegistry, find);
  const outbox = app.get(OutboxFigures, find);
  const reachable = (): string[] =>
    [...catalog.current.providers.values()]
      .filter((provider) => registry.isReachable(provider))
      .map(({ slug }) => slug);
  const beginSeries = (): void => metrics.know(listLegs(catalog.current, new Set(reachable())));

  metrics.watch('build', () => [[1, PACKAGE_VERSION, process.version]]);
  metrics.watch('bytesInFlight', () => [[bytes.held]]);
  metrics.watch('openHolds', () => [[ledger.openHolds.size]]);
  metrics.watch('spoolWaiting', () => [[ledger.waiting]]);
  metrics.watch('databaseUp', () => [[database.unreachableSince === undefined ? 1 : 0]]);
  metrics.watch('databaseConnections', () => {
    const { busy, idle } = statements.connections;
    return [
      [busy, 'busy'],
      [idle, 'idle'],
    ];
  });
  metrics.watch('databaseWaiting', () => [[statements.connections.waiting]]);
  metrics.watch('redisUp', () => (replicas.answers === undefined ? [] : [[replicas.answers ? 1 : 0]]));
  metrics.watch('catalog', () => [[1, catalog.current.hash]]);
  metrics.watch('catalogLoadedAt', () => [[catalog.loadedAt / MS_PER_SECOND]]);
  metrics.watch('catalogRefused', () => [[catalog.faults.length > 0 ? 1 : 0]]);
  metrics.watch('outboxWaiting', () => outbox.counts());
  metrics.watch('outboxOldest', () => outbox.ages());
  metrics.watch('endpoints', () => viewTroubles(reachable(), endpoints));
  statements.onAnswered = metrics.statement;
  catalog.onReloaded = beginSeries;
  beginSeries();
}

/** Endpoints that can be called with a credential. */
const listLegs = ({ models }: CatalogSnapshot, reachable: ReadonlySet<string>): MeasuredLeg[] =>
  [...models.values()].flatMap(({ id, endpoints }) =>
    endpoints
      .filter(({ provider }) => reachable.has(provider.slug))
      .map(({ provider }) => ({ provider: provider.slug, model: id })),
  );

const TROUBLES = ['paused', 'out', 'paused_for_some'] as const satisfies readonly Trouble[];

/** Includes endpoints without troubles, with 0. */
function viewTroubles(reachable: readonly string[], endpoints: HealthRegistry): StateSample[] {
  const troubles = endpoints.troubles();
  const slugs = new Set([...reachable, ...troubles.map(({ provider }) => provider)]);
  return [...slugs].flatMap((slug) =>
    TROUBLES.map((state): StateSample => {
      const count = troubles.filter(({ provider, trouble }) => provider === slug && trouble === state).length;
      return [count, slug, state];
    }),
  );
}
