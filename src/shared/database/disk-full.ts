import { systemCode } from './system-code.js';

/** `ENOSPC` and `EDQUOT` of the system, and what a database makes of them: SQLSTATE 53100. */
const DISK_FULL: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', '53100']);
/** How the engine says it where it ends by it. */
const NO_SPACE = /No space left on device|Disk quota exceeded/;

/** What to tell of a failure that room on a disk would mend; undefined for any other. */
export function diskFullMessage(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  if (!DISK_FULL.has(systemCode(error)) && !NO_SPACE.test(message)) return undefined;
  return `The disk of DATA_DIR or of the database is full (${message}). Make room there and start again.`;
}
