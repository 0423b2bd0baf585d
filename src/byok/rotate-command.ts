import { parseArgs } from 'node:util';
import type { DataSource } from 'typeorm';
import { SystemClock } from '../core/time.js';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import type { EmbeddedOpener } from '../shared/database/embedded.js';
import { MIGRATIONS } from '../shared/database/migrations.js';
import { StoreRefused } from '../shared/database/store-refused.js';
import { systemCode } from '../shared/database/system-code.js';
import { assertStoreExists, openStore } from '../shared/database/transfer/open-store.js';
import type { CommandWorld } from '../shared/database/transfer/transfer-command.js';
import { InvalidEnvironment, type Environment } from '../shared/environment.js';
import { readEnvironment } from '../shared/read-environment.js';
import { Redaction } from '../shared/redaction.js';
import { countByKey, rotateCredentials } from './rotate-credentials.js';
import { createKeyService } from './vault/create-key-service.js';
import { Vault } from './vault/vault.js';

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

const USAGE = `npm run vault:rotate -- [--dry-run]

Puts every stored provider credential under the first of the encryption keys, with the same variables as the gateway: in
the store that DATABASE_URL names, else in the embedded one in DATA_DIR, which no gateway may have open meanwhile.
Gateways on DATABASE_URL go on working: give all of them the new key before this is run, and keep the old one until it
has ended with 0. It may be stopped and run again at any time.

With --dry-run it only counts the credentials by the id of their key, and changes nothing.
Ends with 0 when all are under the first key or were counted, with 1 when one is not.
`;

/** @returns the exit code: 0 done, 1 something is left or failed, 2 wrong words. Never throws, never prints a secret. */
export async function runRotation(world: CommandWorld, opener?: EmbeddedOpener): Promise<number> {
  const words = readWords(world);
  if (typeof words === 'number') return words;

  let redaction = new Redaction();
  try {
    const { environment } = readEnvironment(world.variables, world.workingDirectory);
    redaction = new Redaction(environment.databaseUrl && [environment.databaseUrl]);
    await assertStoreExists(environment);
    return await withStore(environment, opener, (database, vault) =>
      words.dryRun ? printCounts(database, vault, world) : rotate(database, vault, world),
    );
  } catch (error) {
    world.printError(`vault:rotate: ${redaction.text(tell(error))}\n`);
    return FAILED;
  }
}

/** @returns the options, or the exit code */
function readWords({ words, print, printError }: CommandWorld): { readonly dryRun: boolean } | number {
  try {
    const options = { 'dry-run': { type: 'boolean' }, help: { type: 'boolean' } } as const;
    const { values } = parseArgs({ args: [...words], options });
    if (values.help !== true) return { dryRun: values['dry-run'] === true };
    print(USAGE);
    return DONE;
  } catch (error) {
    printError(`vault:rotate: ${tell(error)}\n\n${USAGE}`);
    return MISUSED;
  }
}

async function withStore<T>(
  environment: Environment,
  opener: EmbeddedOpener | undefined,
  work: (database: DataSource, vault: Vault) => Promise<T>,
): Promise<T> {
  const database = await openStore(environment, MIGRATIONS, opener);
  try {
    await assertSchema(database);
    return await work(database, new Vault(await createKeyService(environment, new SystemClock())));
  } finally {
    await database.destroy();
  }
}

/** @throws StoreRefused when the schema is not the one of this release */
async function assertSchema(database: DataSource): Promise<void> {
  const [table] = await database.query<{ there: boolean }[]>(`select to_regclass('migrations') is not null as there`);
  const rows = table?.there ? await database.query<{ name: string }[]>('select name from migrations') : [];
  const ran = new Set(rows.map(({ name }) => name));
  if (ran.size === MIGRATIONS.length && MIGRATIONS.every(({ name }) => ran.has(name))) return;
  throw new StoreRefused('The database is of another release: run the command of the release that its gateways run.');
}

async function printCounts(database: DataSource, vault: Vault, { print }: CommandWorld): Promise<number> {
  const counts = await countByKey(database);
  for (const { keyId, credentials } of counts) {
    const note = keyId === vault.currentKeyId ? ' (the first)' : vault.hasKey(keyId) ? '' : ' (not known here)';
    print(`${keyId}${note}: ${count(credentials)}\n`);
  }
  if (counts.length === 0) print(`${count(0)}\n`);
  return DONE;
}

async function rotate(
  database: DataSource,
  vault: Vault,
  { print, printError, signal }: CommandWorld,
): Promise<number> {
  let rewrapped = 0;
  try {
    const left = await rotateCredentials(database, vault, {
      signal,
      onRewrapped: () => rewrapped++,
      onUnreadable: ({ id, label, reason }) =>
        printError(`vault:rotate: ${JSON.stringify(label)} (${id}) is left as it is: ${reason}\n`),
    });
    if (left === 0) return DONE;
    printError(`vault:rotate: ${count(left)} left under other keys, which must be kept.\n`);
    return FAILED;
  } finally {
    print(`${count(rewrapped)} put under ${vault.currentKeyId}\n`);
  }
}

const count = (number: number): string =>
  `${number.toLocaleString('en-US')} ${number === 1 ? 'credential' : 'credentials'}`;

/** One line, but for settings. */
function tell(error: unknown): string {
  if (error instanceof StoreRefused || error instanceof InvalidEnvironment) return error.message;
  const message = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
  const reason = message || systemCode(error) || 'failed';
  return isDatabaseUnavailable(error) ? `The database does not answer: ${reason}` : reason;
}
