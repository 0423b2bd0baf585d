import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `src`, or `dist` where it is built: the build copies what is SQL (scripts/finish-build.mjs). */
const ROOMS = join(import.meta.dirname, '..', '..');

/** @param path of a file of SQL in a room, as `ledger/sql/take_holds_1.sql`. It may hold several statements. */
export function readSql(path: string): string {
  return readFileSync(join(ROOMS, path), 'utf8');
}
