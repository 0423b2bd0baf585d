import type { DataSource, EntityManager } from 'typeorm';
import { parseUsd } from '../../core/money/credits.js';
import type { Pricing } from '../../core/routing/catalog.js';
import { priceListAt, type ClassPrices } from '../../core/routing/leg-price.js';
import type { DayUsage, Period } from './read-export.js';
import {
  addTokens,
  CLASS_NAMES,
  noTokens,
  USAGE_CLASSES,
  usageKey,
  withoutSnapshot,
  type UsageClass,
} from './usage-classes.js';

/** The account and period whose generations are summed up. */
export interface UsageSource {
  /** A slug. */
  readonly provider: string;
  /** Id of a caller's credential; absent: what went through the operator's. */
  readonly credential?: string | undefined;
}

/** The usage that the ledger has counted. */
export interface LedgerUsage {
  readonly generations: number;
  /** The usage, by `usageKey`. */
  readonly usage: ReadonlyMap<string, DayUsage>;
  /** The list price that each model was last charged at, by its name without snapshot. */
  readonly prices: ReadonlyMap<string, ClassPrices>;
  /** Generations whose tokens are estimates. */
  readonly estimated: number;
  /** Generations with a cost of the operator: of failed attempts the ledger has the cost, not the tokens. */
  readonly withOperatorCost: number;
  /** Generations from before the name at the provider was recorded, which are not summed up. */
  readonly unnamed: number;
  /** Months without generations, `YYYY-MM`: they were dropped, or have never been. */
  readonly absentMonths: readonly string[];
}

type UsageRow = Readonly<Record<UsageClass | 'generations' | 'estimated' | 'with_operator_cost', string>> & {
  readonly day: string;
  readonly model: string | null;
  /** Whether no call was answered: `provider` is that of the last call, and there are no token counts. */
  readonly is_failure: boolean;
  readonly last: Date;
  readonly pricing: object | null;
};

const SUMS = CLASS_NAMES.map((name) => `sum(g.${USAGE_CLASSES[name].column}) AS ${name}`).join(', ');

const USAGE = `
  WITH summed AS (
    SELECT to_char(g.held_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, g.upstream_model AS model, g.price_version,
      g.model IS NULL AS is_failure, max(g.held_at) AS last, count(*) AS generations, ${SUMS},
      count(*) FILTER (WHERE g.is_estimated) AS estimated, count(*) FILTER (WHERE g.operator_cost > 0) AS with_operator_cost
    FROM generations g
    WHERE g.held_at >= $1::date::timestamp AT TIME ZONE 'UTC' AND g.held_at < ($2::date + 1)::timestamp AT TIME ZONE 'UTC'
      AND g.provider = $3 AND (g.model IS NOT NULL OR g.operator_cost > 0) AND CASE WHEN $4::text IS NULL THEN NOT g.is_byok ELSE g.credential = $4 END
    GROUP BY 1, 2, 3, 4
  )
  SELECT summed.*, price_versions.pricing FROM summed LEFT JOIN price_versions ON price_versions.id = summed.price_version
  ORDER BY last`;

const ABSENT_MONTHS = `
  SELECT to_char(month, 'YYYY-MM') AS month
  FROM generate_series(date_trunc('month', $1::date::timestamp), $2::date::timestamp, interval '1 month') AS month
  WHERE to_regclass('generations_' || to_char(month, 'YYYY_MM')) IS NULL
  ORDER BY 1`;

/** Sums up the generations of a period by day and upstream model, in one snapshot. Nothing is written. */
export async function readLedgerUsage(database: DataSource, period: Period, source: UsageSource): Promise<LedgerUsage> {
  return database.transaction('REPEATABLE READ', (manager) => readWithin(manager, period, source));
}

async function readWithin(manager: EntityManager, { from, to }: Period, source: UsageSource): Promise<LedgerUsage> {
  await manager.query(`SET TRANSACTION READ ONLY`);
  // For this transaction only: the role's limits are meant for requests.
  await manager.query(`SET LOCAL statement_timeout = 0`);
  const rows = await manager.query<UsageRow[]>(USAGE, [from, to, source.provider, source.credential ?? null]);
  const months = await manager.query<{ readonly month: string }[]>(ABSENT_MONTHS, [from, to]);
  const usage = new Map<string, DayUsage>();
  const prices = new Map<string, ClassPrices>();
  for (const row of rows) {
    if (row.model === null) continue;
    const model = withoutSnapshot(row.model);
    const key = usageKey(row.day, model);
    const sum = usage.get(key) ?? { day: row.day, model, tokens: noTokens() };
    addTokens(sum.tokens, countsOf(row));
    usage.set(key, sum);
    if (row.pricing) prices.set(model, readPrices(row.pricing));
  }
  const total = (column: 'generations' | 'estimated' | 'with_operator_cost', of: readonly UsageRow[]): number =>
    of.reduce((sum, row) => sum + Number(row[column]), 0);
  const named = rows.filter(({ model }) => model !== null);
  return {
    generations: total('generations', named),
    usage,
    prices,
    estimated: total('estimated', named),
    withOperatorCost: total('with_operator_cost', rows),
    unnamed: total(
      'generations',
      rows.filter(({ model, is_failure }) => model === null && !is_failure),
    ),
    absentMonths: months.map(({ month }) => month),
  };
}

function countsOf(row: UsageRow): DayUsage['tokens'] {
  const counts = noTokens();
  for (const name of CLASS_NAMES) counts[name] = BigInt(row[name]);
  return counts;
}

/** The plain prices of the standard tier, of a list as `price_versions` keeps it. */
const readPrices = (stored: object): ClassPrices => priceListAt(restored(stored) as Pricing, 'standard', 0).prices;

/** Amounts are stored as decimal texts. */
function restored(value: unknown): unknown {
  if (typeof value === 'string') return parseUsd(value);
  if (Array.isArray(value)) return value.map(restored);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, restored(member)]));
}
