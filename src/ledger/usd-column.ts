import type { ValueTransformer } from 'typeorm';
import { formatUsd, parseUsd, type PicoUsd } from '../core/money/credits.js';

/** A `numeric(38,12)` column of USD as an exact amount: it never passes through a float. */
export const usdColumn: ValueTransformer = {
  to: (amount: PicoUsd | null | undefined): string | null | undefined =>
    typeof amount === 'bigint' ? formatUsd(amount) : amount,
  from: (stored: string | null): PicoUsd | null => (stored === null ? null : readStored(stored)),
};

function readStored(stored: string): PicoUsd {
  const amount = parseUsd(stored);
  if (amount === undefined) throw new RangeError('A stored amount lies beyond 10¹⁵ USD.');
  return amount;
}
