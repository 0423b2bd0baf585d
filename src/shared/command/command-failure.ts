import { InvalidEnvironment } from '../environment.js';
import { isDatabaseUnavailable } from '../database/database-unavailable.js';
import { StoreRefused } from '../database/store-refused.js';
import { systemCode } from '../database/system-code.js';
import { FileRefused } from '../database/transfer/file-refused.js';

/** Failures whose message is sufficient. */
const EXPECTED = [InvalidEnvironment, StoreRefused, FileRefused];

/** The message of a failed command: one line, except for settings, of which several may be faulty. */
export function failureMessage(error: unknown): string {
  if (EXPECTED.some((kind) => error instanceof kind)) return (error as Error).message;
  const message = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
  const reason = message || systemCode(error) || 'failed';
  return isDatabaseUnavailable(error) ? `The database does not answer: ${reason}` : reason;
}
