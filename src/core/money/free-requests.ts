/**
 * Requests to free variants (`:free`) in a UTC day of an account that bought much, as others are told of it. How many
 * an account has is for the database to say: `ledger/sql/free_requests_a_day_1.sql`.
 */
export const HIGHER_FREE_REQUESTS_A_DAY = 1_000;
