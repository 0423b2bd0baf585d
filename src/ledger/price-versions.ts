import { hash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { formatUsd } from '../core/money/credits.js';
import type { Pricing } from '../core/routing/catalog.js';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { LedgerRepository } from './ledger.repository.js';

/** Characters of a version's name: 96 bits of its hash. */
const NAME_LENGTH = 24;

/**
 * Names lists of prices by their contents, and stores each from its first use on, so that a charge can always be
 * explained.
 */
@Injectable()
export class PriceVersions {
  private readonly logger = new Logger('ledger');
  private readonly names = new WeakMap<Pricing, string>();
  private readonly kept = new Set<string>();
  private waiting: { id: string; pricing: string }[] = [];

  constructor(private readonly repository: LedgerRepository) {}

  /** Equal prices have the same name, in every replica and after every reload of the catalog. */
  versionOf(pricing: Pricing): string {
    const known = this.names.get(pricing);
    if (known !== undefined) return known;
    const text = printPricing(pricing);
    const id = hash('sha256', text, 'hex').slice(0, NAME_LENGTH);
    this.names.set(pricing, id);
    if (!this.kept.has(id)) {
      this.kept.add(id);
      this.waiting.push({ id, pricing: text });
    }
    return id;
  }

  /** Writes what is new. Never throws. */
  async flush(): Promise<void> {
    if (this.waiting.length === 0) return;
    const versions = this.waiting;
    this.waiting = [];
    try {
      await this.repository.keepPrices(versions);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.error(error);
      this.waiting.push(...versions);
    }
  }
}

/** Prices as decimal USD per token or unit. Keys are sorted, so that equal prices have the same text. */
function printPricing(pricing: Pricing): string {
  return JSON.stringify(sorted(pricing));
}

function sorted(value: unknown): unknown {
  if (typeof value === 'bigint') return formatUsd(value);
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}
