import { resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { DataSource } from 'typeorm';
import { InvalidEnvironment } from '../../environment.js';
import { Redaction } from '../../redaction.js';
import { reasonOf } from '../../variables/grammars.js';
import { VARIABLES, type Variable } from '../../variables/variables.js';
import type { EmbeddedOpener } from '../embedded.js';
import { MIGRATIONS } from '../migrations.js';
import { assertOfThisRelease, listExecuted } from '../schema-history.js';
import { StoreRefused } from '../store-refused.js';
import { failureMessage } from './command-failure.js';
import { assertStoreExists, openStore, type StorePlace } from './open-store.js';
import type { CommandContext } from './transfer-command.js';

export const DONE = 0;
export const FAILED = 1;
export const MISUSED = 2;

/** A command of `npm run` that works on the store of a gateway of this release. */
export interface StoreCommand<Place extends StorePlace> {
  readonly name: string;
  readonly usage: string;
  /** Switches beside `--help`. */
  readonly switches: readonly string[];
  /** Reads as much of the environment as it needs. Throws InvalidEnvironment. */
  readonly readPlace: (context: CommandContext) => Place;
  /** @returns the exit code */
  readonly run: (database: DataSource, switches: ReadonlySet<string>, place: Place) => Promise<number>;
}

/** @returns the exit code: what `run` gives, 1 failed, 2 wrong words. Never throws, never prints a secret. */
export async function runStoreCommand<Place extends StorePlace>(
  command: StoreCommand<Place>,
  context: CommandContext,
  opener?: EmbeddedOpener,
): Promise<number> {
  const switches = readWords(command, context);
  if (typeof switches === 'number') return switches;

  let redaction = new Redaction();
  try {
    const place = command.readPlace(context);
    redaction = new Redaction(place.databaseUrl && [place.databaseUrl]);
    await assertStoreExists(place);
    const database = await openStore(place, MIGRATIONS, opener);
    try {
      await assertSchema(database);
      return await command.run(database, switches, place);
    } finally {
      await database.destroy();
    }
  } catch (error) {
    context.printError(`${command.name}: ${redaction.text(failureMessage(error))}\n`);
    return FAILED;
  }
}

/**
 * As the gateway reads it, but that settings which have no part in where the store is may be
 * missing. @throws InvalidEnvironment
 */
export function readStorePlace({
  variables,
  workingDirectory,
}: Pick<CommandContext, 'variables' | 'workingDirectory'>): StorePlace {
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

/** @returns the switches that were given, or the exit code */
function readWords<Place extends StorePlace>(
  { name, usage, switches }: StoreCommand<Place>,
  { words, print, printError }: CommandContext,
): ReadonlySet<string> | number {
  const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    [...switches, 'help'].map((option) => [option, { type: 'boolean' }]),
  );
  try {
    const { values } = parseArgs({ args: [...words], options });
    if (values['help'] !== true) return new Set(Object.keys(values));
    print(usage);
    return DONE;
  } catch (error) {
    printError(`${name}: ${failureMessage(error)}\n\n${usage}`);
    return MISUSED;
  }
}

/**
 * @throws StoreRefused when the schema is not the one of this release: nothing is known of what
 *   the statements would find
 */
async function assertSchema(database: DataSource): Promise<void> {
  const executed = await listExecuted(database);
  assertOfThisRelease(executed);
  if (MIGRATIONS.some(({ name }) => !executed.includes(name))) {
    throw new StoreRefused(
      'The database is of an older release: start the gateway of this one once, which migrates it.',
    );
  }
}
