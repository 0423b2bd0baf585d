import type { DataSource } from 'typeorm';
import { described, integer, moment, object, titled, type Static } from '../../shared/http/schema.js';
import type { LedgerReport } from './verify-ledger.js';

/** The result of the last `ledger:verify`. Its lines are the operator's: they name other accounts as well. */
export const verificationView = titled(
  'ledger-verification',
  object({
    verified_at: described('When it ended, by the clock of the database.', moment()),
    differences: described('Figures that are not what the entries add up to.', integer()),
    warnings: described('Figures that look wrong and are explained by the ledger.', integer()),
  }),
);
export type VerificationView = Static<typeof verificationView>;

/** Replaces the result of the verification before. */
export async function keepVerification(
  database: DataSource,
  { differences, unlisted, warnings }: LedgerReport,
): Promise<void> {
  await database.query(
    `WITH former AS (DELETE FROM ledger_verifications)
     INSERT INTO ledger_verifications (verified_at, differences, warnings) VALUES (clock_timestamp(), $1, $2)`,
    [differences.length + unlisted, warnings.length],
  );
}

/** Null before the first one. */
export async function findVerification(database: DataSource): Promise<VerificationView | null> {
  const [last] = await database.query<(Omit<VerificationView, 'verified_at'> & { readonly verified_at: Date })[]>(
    `SELECT verified_at, differences, warnings FROM ledger_verifications ORDER BY verified_at DESC LIMIT 1`,
  );
  return last ? { ...last, verified_at: last.verified_at.toISOString() } : null;
}
