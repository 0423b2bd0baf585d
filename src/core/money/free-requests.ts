/**
 * Requests to free variants (`:free`) in a UTC day of an account that bought much, as documented for others. The limit
 * of an account is decided in the database: `ledger/sql/free_requests_a_day_1.sql`.
 */
export const HIGHER_FREE_REQUESTS_A_DAY = 1_000;
