import type { PicoUsd } from '../../core/money/credits.js';
import { ReadableBy } from './fits.decorator.js';
import { number } from './schema.js';
import { readUsdNumber } from './usd-amount.js';

/** Exclusive upper bound of amounts. */
const USD_MAX = 1e15;

/** An amount of USD as a JSON number, exact to 12 decimals, that `takes` accepts. */
const usdField =
  (name: string, takes: (amount: PicoUsd) => boolean, requirement: string, min = -USD_MAX) =>
  (): PropertyDecorator =>
    ReadableBy(
      name,
      (value) => {
        const amount = readUsdNumber(value);
        return amount !== undefined && takes(amount);
      },
      `must be a number of USD ${requirement}, with at most 12 decimals`,
      number({ min, max: USD_MAX }),
    );

/** An amount that is not negative. */
export const IsUsd = usdField('isUsd', (amount) => amount >= 0n, 'from 0 to below 10^15', 0);
/** Above 0. */
export const IsPositiveUsd = usdField('isPositiveUsd', (amount) => amount > 0n, 'above 0 and below 10^15');
/** A positive or negative amount, but not 0. */
export const IsUsdChange = usdField('isUsdChange', (amount) => amount !== 0n, 'other than 0, below 10^15');
