import type { PicoUsd } from '../../core/money/credits.js';
import { readUsd, type StoredLine } from './statement-line.js';

/** The changes of the balance in a month. The closing balance is the opening one + credits - charges + corrections. */
export interface MonthSums {
  readonly credits: PicoUsd;
  /** Sum of the charges, not below 0. */
  readonly charges: PicoUsd;
  /** The change of the balance by corrections. */
  readonly corrections: PicoUsd;
}

/** Adds up lines. */
export class LineSums implements MonthSums {
  credits = 0n;
  charges = 0n;
  corrections = 0n;

  add({ kind, amount }: Pick<StoredLine, 'kind' | 'amount'>): void {
    const change = readUsd(amount);
    if (kind === 'charge') this.charges -= change;
    else if (kind === 'correction') this.corrections += change;
    else this.credits += change;
  }
}

/** The balance after a month that began with `opening`. */
export const closingOf = (opening: PicoUsd, { credits, charges, corrections }: MonthSums): PicoUsd =>
  opening + credits - charges + corrections;
