import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `src`, or `dist` in a build: the build copies SQL files (scripts/finish-build.mjs). */
const ROOMS = join(import.meta.dirname, '..', '..');

/** @param path of an SQL file in a module, such as `ledger/sql/take_holds_1.sql`. It may hold several statements. */
export function readSql(path: string): string {
  return readFileSync(join(ROOMS, path), 'utf8');
}
