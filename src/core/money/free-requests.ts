import { PICO_PER_USD, type PicoUsd } from './credits.js';

/** Requests to free variants (`:free`) in a UTC day of an account that bought little, and of one that bought much. */
export const FREE_REQUESTS_A_DAY = { little: 50, much: 1_000 } as const;
/** All credits ever bought: purchases of 10 USD less what a payment may have cost. */
const HIGHER_ALLOWANCE_FROM = 9n * PICO_PER_USD;

/**
 * Requests to free variants that an account may make in a UTC day. Holds are taken by the same rule, written for the
 * database in `ledger/sql/free_requests_a_day_1.sql`.
 * @param purchased all credits that the account ever bought
 */
export function freeRequestsADay(purchased: PicoUsd): number {
  return purchased >= HIGHER_ALLOWANCE_FROM ? FREE_REQUESTS_A_DAY.much : FREE_REQUESTS_A_DAY.little;
}
