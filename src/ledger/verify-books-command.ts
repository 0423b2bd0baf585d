import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { DataSource } from 'typeorm';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { MIGRATIONS } from '../shared/database/migrations.js';
import { StoreRefused } from '../shared/database/store-refused.js';
import { systemCode } from '../shared/database/system-code.js';
import { assertStoreExists, openStore, type StorePlace } from '../shared/database/transfer/open-store.js';
import type { CommandWorld } from '../shared/database/transfer/transfer-command.js';
import { InvalidEnvironment } from '../shared/environment.js';
import { Redaction } from '../shared/redaction.js';
import { reasonOf } from '../shared/variables/grammars.js';
import { VARIABLES, type Variable } from '../shared/variables/variables.js';
import { verifyBooks, type BooksDifference, type BooksReport } from './verify-books.js';

const CLEAN = 0;
const FAILED = 1;
const MISUSED = 2;

const USAGE = `npm run ledger:verify -- [--json]

Recomputes every balance, window and cost of the books from what was entered, and compares exactly: those of the
store that DATABASE_URL names, else of the embedded one in DATA_DIR, which no gateway may have open meanwhile.
Gateways on DATABASE_URL may be at work: all is read in one snapshot, and nothing is written.

Prints a line for each difference and a summary, or with --json { counted, differences, unlisted, warnings }.
Ends with 0 when there is no difference, with 1 when there is one or nothing could be verified.
`;

/** @returns the exit code: 0 no difference, 1 differences or failed, 2 wrong words. Never throws, never prints a secret. */
export async function runVerification(world: CommandWorld): Promise<number> {
  const words = readWords(world);
  if (typeof words === 'number') return words;

  let redaction = new Redaction();
  try {
    const place = readPlace(world);
    redaction = new Redaction(place.databaseUrl && [place.databaseUrl]);
    await assertStoreExists(place);
    const report = await verifyStore(place);
    world.print(words.json ? `${JSON.stringify(report, undefined, 2)}\n` : printReport(report));
    return report.differences.length > 0 ? FAILED : CLEAN;
  } catch (error) {
    world.printError(`ledger:verify: ${redaction.text(tell(error))}\n`);
    return FAILED;
  }
}

/** @returns the options, or the exit code */
function readWords({ words, print, printError }: CommandWorld): { readonly json: boolean } | number {
  try {
    const options = { json: { type: 'boolean' }, help: { type: 'boolean' } } as const;
    const { values } = parseArgs({ args: [...words], options });
    if (values.help !== true) return { json: values.json === true };
    print(USAGE);
    return CLEAN;
  } catch (error) {
    printError(`ledger:verify: ${tell(error)}\n\n${USAGE}`);
    return MISUSED;
  }
}

/** As the gateway reads it, but that settings which the books have no part in may be missing. @throws InvalidEnvironment */
function readPlace({ variables, workingDirectory }: CommandWorld): StorePlace {
  const read = <T>(variable: Variable<T>): T => {
    const text = variables[variable.name]?.trim() ?? '';
    if (text === '') return variable.fallback();
    try {
      return variable.grammar(text);
    } catch (error) {
      throw new InvalidEnvironment([{ variable: variable.name, reason: reasonOf(error) }]);
    }
  };
  const databaseUrl = read(VARIABLES.databaseUrl);
  return { dataDir: resolve(workingDirectory, read(VARIABLES.dataDir)), ...(databaseUrl && { databaseUrl }) };
}

async function verifyStore(place: StorePlace): Promise<BooksReport> {
  const database = await openStore(place, MIGRATIONS);
  try {
    await assertSchema(database);
    return await verifyBooks(database);
  } finally {
    await database.destroy();
  }
}

/** @throws StoreRefused when the schema is not the one of this release: nothing is known of what the statements would find */
async function assertSchema(database: DataSource): Promise<void> {
  const [table] = await database.query<{ there: boolean }[]>(`SELECT to_regclass('migrations') IS NOT NULL AS there`);
  const rows = table?.there ? await database.query<{ name: string }[]>('SELECT name FROM migrations') : [];
  const ran = new Set(rows.map(({ name }) => name));
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const stranger = [...ran].find((name) => !known.has(name));
  if (stranger !== undefined) {
    throw new StoreRefused(`The database has been migrated by a newer release (${stranger} is not known here).`);
  }
  if ([...known].some((name) => !ran.has(name))) {
    throw new StoreRefused(
      'The database is of an older release: start the gateway of this one once, which migrates it.',
    );
  }
}

function printReport({ counted, differences, unlisted, warnings }: BooksReport): string {
  const line = (kind: string, { what, expected, found }: BooksDifference): string =>
    `${kind}: ${what}: expected ${expected}, found ${found}\n`;
  const summary = [
    count(counted.accounts, 'account'),
    count(counted.windows, 'window'),
    count(counted.generations, 'generation'),
    count(counted.entries, 'entry', 'entries'),
    count(counted.holds, 'hold'),
  ].join(', ');
  return [
    ...warnings.map((warning) => line('warning', warning)),
    ...differences.map((difference) => line('difference', difference)),
    unlisted > 0 ? `and ${count(unlisted, 'more difference')}\n` : '',
    `${summary}: ${count(differences.length + unlisted, 'difference')}, ${count(warnings.length, 'warning')}\n`,
  ].join('');
}

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;

/** One line, but for settings. */
function tell(error: unknown): string {
  if (error instanceof StoreRefused || error instanceof InvalidEnvironment) return error.message;
  const message = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
  const reason = message || systemCode(error) || 'failed';
  return isDatabaseUnavailable(error) ? `The database does not answer: ${reason}` : reason;
}
