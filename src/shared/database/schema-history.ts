import { FORMER_HISTORIES, MIGRATIONS } from './migrations.js';
import { StoreRefused } from './store-refused.js';

/** Sends statements: a DataSource, or the runner of a transaction. */
interface Sender {
  query(statement: string): Promise<unknown>;
}

/**
 * @returns names of the migrations recorded in the database, in the order in which they ran; empty where there is no
 * store
 */
export async function listExecuted(sender: Sender): Promise<readonly string[]> {
  const [found] = (await sender.query(`select to_regclass('migrations') is not null as is_there`)) as {
    readonly is_there: boolean;
  }[];
  if (found?.is_there !== true) return [];
  const rows = (await sender.query(`select name from migrations order by id`)) as { readonly name: string }[];
  return rows.map(({ name }) => name);
}

/**
 * Asserts that this release or an older one has migrated the store.
 * @param executed names of migrations
 * @param known names of those of this release
 * @throws StoreRefused when another release has migrated it: the message gives the remedy
 */
export function assertOfThisRelease(
  executed: readonly string[],
  known: readonly string[] = MIGRATIONS.map(({ name }) => name),
): void {
  const unknownMigrations = executed.filter((name) => !known.includes(name));
  if (unknownMigrations.length === 0) return;
  if (unknownMigrations.every((name) => FORMER_HISTORIES.flat().includes(name))) {
    throw new StoreRefused(
      'The database was made by a version before the first release, whose schema this one does not migrate: export it with ' +
        'that version (npm run data:export -- --out FILE) and import the file with this one into an empty database ' +
        '(npm run data:import -- --in FILE).',
    );
  }
  throw new StoreRefused(
    `The database has been migrated by a newer release (${unknownMigrations.join(', ')} is not known here). Run that release, or ` +
      'restore a backup from before it.',
  );
}
