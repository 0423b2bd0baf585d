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
import { verifyAudit, type ChainReport } from './verify-audit.js';

const UNBROKEN = 0;
const FAILED = 1;
const MISUSED = 2;

const USAGE = `npm run audit:verify

Walks the audit log of every account and recomputes each hash: in the store that DATABASE_URL names, else in the embedded
one in DATA_DIR, which no gateway may have open meanwhile. Gateways on DATABASE_URL may be at work: all is read in one
snapshot, and nothing is written.

Prints a line for each account, with its last hash: keep that elsewhere, for a chain does not show that its newest
entries were cut off. Ends with 0 when every chain is whole, with 1 when one is broken or nothing could be verified.
`;

/** @returns the exit code: 0 every chain is whole, 1 broken or failed, 2 wrong words. Never throws, never prints a secret. */
export async function runAuditVerification(world: CommandWorld): Promise<number> {
  const words = readWords(world);
  if (words !== undefined) return words;

  let redaction = new Redaction();
  try {
    const place = readPlace(world);
    redaction = new Redaction(place.databaseUrl && [place.databaseUrl]);
    await assertStoreExists(place);
    let isBroken = false;
    await verifyStore(place, (report) => {
      isBroken ||= report.broken !== undefined;
      world.print(printReport(report));
    });
    return isBroken ? FAILED : UNBROKEN;
  } catch (error) {
    world.printError(`audit:verify: ${redaction.text(tell(error))}\n`);
    return FAILED;
  }
}

/** @returns the exit code, or undefined to go on */
function readWords({ words, print, printError }: CommandWorld): number | undefined {
  try {
    const { values } = parseArgs({ args: [...words], options: { help: { type: 'boolean' } } });
    if (values.help !== true) return undefined;
    print(USAGE);
    return UNBROKEN;
  } catch (error) {
    printError(`audit:verify: ${tell(error)}\n\n${USAGE}`);
    return MISUSED;
  }
}

/** As the gateway reads it, but that settings which the log has no part in may be missing. @throws InvalidEnvironment */
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

async function verifyStore(place: StorePlace, told: (report: ChainReport) => void): Promise<void> {
  const database = await openStore(place, MIGRATIONS);
  try {
    await assertSchema(database);
    await verifyAudit(database, told);
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

function printReport({ accountId, entries, last, broken }: ChainReport): string {
  const walked = `account ${accountId}: ${entries.toLocaleString('en-US')} ${entries === 1 ? 'entry' : 'entries'}`;
  if (broken) return `${walked}, then BROKEN at seq ${broken.seq}: the entry ${broken.reason}\n`;
  return `${walked}, unbroken, last seq ${last.seq}, last hash ${last.hash}\n`;
}

/** One line, but for settings. */
function tell(error: unknown): string {
  if (error instanceof StoreRefused || error instanceof InvalidEnvironment) return error.message;
  const message = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
  const reason = message || systemCode(error) || 'failed';
  return isDatabaseUnavailable(error) ? `The database does not answer: ${reason}` : reason;
}
