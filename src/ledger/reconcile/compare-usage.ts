import { formatUsd } from '../../core/money/credits.js';
import type { LedgerUsage } from './ledger-usage.js';
import type { Period, VendorUsage } from './read-export.js';
import { CLASS_NAMES, noTokens, USAGE_CLASSES, type UsageClass } from './usage-classes.js';

/** Tokens of one class that the vendor and the ledger count differently. Numbers are exact decimals. */
export interface UsageDifference {
  /** `YYYY-MM-DD`; absent: the whole period. */
  readonly day?: string;
  readonly model: string;
  readonly class: UsageClass;
  readonly vendor: string;
  readonly ledger: string;
  /** `vendor` less `ledger`. */
  readonly difference: string;
  /** USD at list price; null where the ledger has no price of the model in this period. */
  readonly cost: string | null;
}

export interface Comparison {
  /** The first differences, by day and model; see `unlisted`. */
  readonly differences: readonly UsageDifference[];
  readonly unlisted: number;
  /** The models and classes of all differences, over all days of the period. */
  readonly totals: readonly UsageDifference[];
  /** USD of all differences that have a price. */
  readonly cost: string;
  /** Differences that have none. */
  readonly unpriced: number;
}

/** Differences that are listed. */
const LISTED_MAX = 1_000;

/** @param tolerance tokens by which a class of a day and model may differ */
export function compareUsage(
  vendor: Pick<VendorUsage, 'usage'>,
  ledger: Pick<LedgerUsage, 'usage' | 'prices'>,
  period: Period,
  tolerance: bigint,
): Comparison {
  const differing = new Map<string, UsageSum>();
  const sums = new Map<string, UsageSum>();
  for (const key of [...new Set([...vendor.usage.keys(), ...ledger.usage.keys()])].sort()) {
    const { day, model } = (vendor.usage.get(key) ?? ledger.usage.get(key))!;
    if (day < period.from || day > period.to) continue;
    const [billed, counted] = [vendor, ledger].map(({ usage }) => usage.get(key)?.tokens ?? noTokens());
    for (const name of CLASS_NAMES) {
      const figures = { model, class: name, vendor: billed![name], ledger: counted![name] };
      const total = sums.get(`${model} ${name}`) ?? { model, class: name, vendor: 0n, ledger: 0n };
      total.vendor += figures.vendor;
      total.ledger += figures.ledger;
      sums.set(`${model} ${name}`, total);
      if (magnitude(figures.vendor - figures.ledger) > tolerance) differing.set(`${key} ${name}`, { day, ...figures });
    }
  }
  const all = [...differing.values()];
  const costs = all.map((difference) => costOf(difference, ledger));
  const named = new Set(all.map(({ model, class: name }) => `${model} ${name}`));
  return {
    differences: all.slice(0, LISTED_MAX).map((difference) => view(difference, ledger)),
    unlisted: Math.max(0, all.length - LISTED_MAX),
    totals: [...sums].filter(([key]) => named.has(key)).map(([, total]) => view(total, ledger)),
    cost: formatUsd(costs.reduce<bigint>((sum, cost) => sum + (cost ?? 0n), 0n)),
    unpriced: costs.filter((cost) => cost === undefined).length,
  };
}

interface UsageSum {
  readonly day?: string;
  readonly model: string;
  readonly class: UsageClass;
  vendor: bigint;
  ledger: bigint;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

function costOf(sum: UsageSum, { prices }: Pick<LedgerUsage, 'prices'>): bigint | undefined {
  const price = prices.get(sum.model)?.[USAGE_CLASSES[sum.class].price];
  return price === undefined ? undefined : (sum.vendor - sum.ledger) * price;
}

function view(sum: UsageSum, ledger: Pick<LedgerUsage, 'prices'>): UsageDifference {
  const cost = costOf(sum, ledger);
  return {
    ...sum,
    vendor: String(sum.vendor),
    ledger: String(sum.ledger),
    difference: String(sum.vendor - sum.ledger),
    cost: cost === undefined ? null : formatUsd(cost),
  };
}
