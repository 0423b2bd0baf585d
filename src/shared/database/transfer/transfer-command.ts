import { parseArgs } from 'node:util';
import type { DataSource } from 'typeorm';
import type { Environment } from '../../environment.js';
import { readEnvironment } from '../../read-environment.js';
import { Redaction } from '../../telemetry/redaction.js';
import { MIGRATIONS } from '../migrations.js';
import { pathOf, type CommandContext } from '../../command/command-context.js';
import { failureMessage } from '../../command/command-failure.js';
import { exportStore } from './export-store.js';
import { importStore, migrationsOf } from './import-store.js';
import { assertStoreExists, openStore } from './open-store.js';
import { readStoreFile, type StoreDescription } from './store-file.js';

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

interface TransferCommand {
  readonly name: string;
  /** The option with the file's name. */
  readonly option: string;
  readonly usage: string;
  readonly run: (environment: Environment, path: string, signal?: AbortSignal) => Promise<StoreDescription>;
  readonly summary: (path: string, rows: number, tables: number) => string;
}

export const DATA_EXPORT: TransferCommand = {
  name: 'data:export',
  option: 'out',
  usage: `npm run data:export -- --out FILE

Writes the whole store into a new file: the one that DATABASE_URL names, else the embedded one in DATA_DIR, which
no gateway may have open meanwhile. The file contains hashes of keys and encrypted credentials: keep it as safe as
the database.
`,
  run: async (environment, path, signal) => {
    await assertStoreExists(environment);
    const dataSource = await openStore(environment, MIGRATIONS);
    return closing(dataSource, exportStore(dataSource, path, signal));
  },
  summary: (path, rows, tables) => `Exported ${rows} rows of ${tables} tables to ${path}.`,
};

export const DATA_IMPORT: TransferCommand = {
  name: 'data:import',
  option: 'in',
  usage: `npm run data:import -- --in FILE

Fills an empty store with a file that data:export wrote: the one that DATABASE_URL names, else the embedded one in
DATA_DIR. All or nothing. Import before a gateway is started on the store: its first start puts an account into it.
`,
  run: async (environment, path, signal) => {
    // Read once before any change, so that a damaged file leaves no trace.
    const description = await readStoreFile(path);
    const dataSource = await openStore(environment, migrationsOf(path, description));
    await closing(dataSource, importStore(dataSource, path, description, signal));
    return description;
  },
  summary: (path, rows, tables) => `Imported ${rows} rows of ${tables} tables from ${path}.`,
};

/** @returns the exit code: 0 done, 1 refused or failed, 2 invalid arguments. Never throws, never prints a secret. */
export async function runTransfer(command: TransferCommand, context: CommandContext): Promise<number> {
  const file = readWords(command, context);
  if (typeof file === 'number') return file;

  let redaction = new Redaction();
  try {
    const { environment } = readEnvironment(context.variables, context.workingDirectory);
    redaction = new Redaction(environment.databaseUrl && [environment.databaseUrl]);
    const path = pathOf(file, context);
    const { tables } = await command.run(environment, path, context.signal);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    context.print(`${command.summary(path, rows, tables.length)}\n`);
    return DONE;
  } catch (error) {
    context.printError(`${command.name}: ${redaction.text(failureMessage(error))}\n`);
    return FAILED;
  }
}

/** @returns the named file, or the exit code */
function readWords({ name, option, usage }: TransferCommand, context: CommandContext): string | number {
  try {
    const options = { [option]: { type: 'string' }, help: { type: 'boolean' } } as const;
    const { values } = parseArgs({ args: [...context.words], options });
    if (values['help'] === true) {
      context.print(usage);
      return DONE;
    }
    const file = values[option];
    if (typeof file === 'string' && file !== '') return file;
    context.printError(`${name}: --${option} FILE is missing.\n\n${usage}`);
  } catch (error) {
    context.printError(`${name}: ${failureMessage(error)}\n\n${usage}`);
  }
  return MISUSED;
}

async function closing<T>(dataSource: DataSource, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    await dataSource.destroy();
  }
}
