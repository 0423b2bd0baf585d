import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DataSource } from 'typeorm';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { JsonObject } from '../core/json/json.js';
import { Clock, DAY_MS } from '../core/time.js';
import { HealthRegistry } from '../endpoint-health/health-registry.js';

/** Maximum number of endpoints that are named for one provider. */
const ENDPOINTS_MAX = 20;

/** Kinds of facts about providers that a replica has only in its own memory. */
export type ObservationKind = 'outage' | 'credential';

/** Something that a replica saw, and when, in epoch milliseconds. */
interface Observation {
  readonly kind: ObservationKind;
  /** Slug of the provider. */
  readonly subject: string;
  readonly detail: JsonObject;
  readonly seenAtMs: number;
}

/** An observation in the store. */
export interface StoredObservation {
  readonly subject: string;
  readonly detail: JsonObject;
  readonly age_ms: number;
}

/** Puts what this replica sees of providers where whichever replica judges alarms finds it. */
@Injectable()
export class ReplicaObservations {
  constructor(
    private readonly health: HealthRegistry,
    private readonly catalog: CatalogStore,
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Stores what holds at present. The newest of all replicas stays. */
  async report(): Promise<void> {
    for (const { kind, subject, detail, seenAtMs } of [...this.outages(), ...this.refusals()])
      await this.database.query(
        `INSERT INTO alarm_sightings (kind, subject, detail, seen_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (kind, subject) DO UPDATE SET detail = excluded.detail, seen_at = excluded.seen_at
         WHERE alarm_sightings.seen_at < excluded.seen_at`,
        [kind, subject, JSON.stringify(detail), new Date(seenAtMs)],
      );
  }

  async removePast(): Promise<void> {
    await this.database.query('DELETE FROM alarm_sightings WHERE seen_at < $1', [new Date(this.clock.now() - DAY_MS)]);
  }

  private outages(): Observation[] {
    const endpoints = new Map<string, JsonObject[]>();
    for (const { provider, endpoint, model } of this.health.failing()) {
      const known = endpoints.get(provider) ?? [];
      endpoints.set(provider, known);
      if (known.length < ENDPOINTS_MAX) known.push({ model, endpoint });
    }
    const seenAtMs = this.clock.now();
    return [...endpoints].map(([subject, failing]) => ({
      kind: 'outage',
      subject,
      detail: { endpoints: failing },
      seenAtMs,
    }));
  }

  private refusals(): Observation[] {
    const slugs = new Set<string>();
    for (const provider of this.catalog.current.providers.keys()) slugs.add(provider);
    return [...this.health.lastFaultsOf(slugs)].flatMap(([subject, { kind, status, at, model }]) =>
      kind === 'refused-credential'
        ? [{ kind: 'credential' as const, subject, detail: { status: status ?? null, model }, seenAtMs: at }]
        : [],
    );
  }
}

/** The observations of a kind not older than this, in milliseconds, newest first. */
export const listObservations = (
  manager: EntityManager,
  kind: ObservationKind,
  ageMs: number,
  aheadMs: number,
): Promise<StoredObservation[]> =>
  manager.query(
    `SELECT subject, detail, age_ms FROM (
       SELECT subject, detail, (extract(epoch FROM now() + $3 * interval '1 millisecond' - seen_at) * 1000)::float8 AS age_ms
       FROM alarm_sightings WHERE kind = $1
     ) AS seen WHERE age_ms <= $2 ORDER BY age_ms`,
    [kind, ageMs, aheadMs],
  );
