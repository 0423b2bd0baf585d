import { systemCode } from './system-code.js';

/** `ENOSPC` and `EDQUOT` of the system, and the database's code for both: SQLSTATE 53100. */
const DISK_FULL: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', '53100']);
/** The engine's message where it ends because of it. */
const NO_SPACE = /No space left on device|Disk quota exceeded/;

/** Whether a failure was caused by a full disk. */
export const isDiskFull = (error: unknown): boolean =>
  DISK_FULL.has(systemCode(error)) || NO_SPACE.test(messageOf(error));

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

/** The message for such a failure; undefined for any other. */
export function diskFullMessage(error: unknown): string | undefined {
  if (!isDiskFull(error)) return undefined;
  const message = messageOf(error);
  return `The disk of DATA_DIR or of the database is full (${message}). Free some space there and start again.`;
}
