import { call } from '../../api/client.js';
import type { Activity } from '../../api/schema.js';

const HOURS = 24;
const HOUR_MS = 3_600_000;

/** An hour of a provider: the requests that ended there. */
export interface HourOfProvider {
  /** Beginning of the hour: `2030-01-31 14:00`, in UTC. */
  readonly at: string;
  readonly value: number;
  readonly bad: number;
}

/** The last 24 hours of providers by their slugs, from the ledger: of all replicas. */
export async function loadDay(signal: AbortSignal): Promise<ReadonlyMap<string, readonly HourOfProvider[]>> {
  const hours = lastHours();
  const from = `${hours[0]!.slice(0, 19)}Z`;
  const query = { from, granularity: 'hour', group_by: 'provider' } as const;
  const { data } = await call('activityList', { query }, signal);
  const byProvider = new Map<string, Activity[]>();
  for (const row of data) {
    if (!row.provider) continue;
    const rows = byProvider.get(row.provider);
    if (rows) rows.push(row);
    else byProvider.set(row.provider, [row]);
  }
  return new Map([...byProvider].map(([slug, rows]) => [slug, hours.map((hour) => hourOf(hour, rows))]));
}

function hourOf(hour: string, rows: readonly Activity[]): HourOfProvider {
  const row = rows.find(({ date }) => Date.parse(date) === Date.parse(hour));
  return { at: hour.slice(0, 16).replace('T', ' '), value: row?.requests ?? 0, bad: row?.errors ?? 0 };
}

function lastHours(): readonly string[] {
  const now = Math.floor(Date.now() / HOUR_MS);
  return Array.from({ length: HOURS }, (_, at) => new Date((now - (HOURS - 1 - at)) * HOUR_MS).toISOString());
}
