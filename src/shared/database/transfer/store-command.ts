import { resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { DataSource } from 'typeorm';
import { InvalidEnvironment } from '../../environment.js';
import { Redaction } from '../../telemetry/redaction.js';
import { reasonOf } from '../../variables/grammars.js';
import { VARIABLES, type Variable } from '../../variables/variables.js';
import type { EmbeddedOpener } from '../embedded.js';
import { MIGRATIONS } from '../migrations.js';
import { assertOfThisRelease, listExecuted } from '../schema-history.js';
import { StoreRefused } from '../store-refused.js';
import { failureMessage } from '../../command/command-failure.js';
import { assertStoreExists, openStore, type StoreLocation } from './open-store.js';
import type { CommandContext } from '../../command/command-context.js';

export const DONE = 0;
export const FAILED = 1;
export const MISUSED = 2;

/** A command of `npm run` that works on the store of a gateway of this release. */
export interface StoreCommand<Location extends StoreLocation> {
  readonly name: string;
  readonly usage: string;
  /** Description of the one argument besides options; absent: the command has no argument. */
  readonly operand?: string;
  /** Switches besides `--help`. */
  readonly switches: readonly string[];
  /** Options with a value, by name: the rule of each value, and its text as the end of a sentence. */
  readonly values?: Readonly<Record<string, ValueRule>>;
  /** Reads the needed part of the environment. Throws InvalidEnvironment. */
  readonly readLocation: (context: CommandContext, words: CommandWords) => Location;
  /** @returns the exit code */
  readonly run: (database: DataSource, words: CommandWords, location: Location) => Promise<number>;
}

interface ValueRule {
  readonly pattern: RegExp;
  /** Completes a sentence that begins with the option. */
  readonly reason: string;
}

/** The parsed command line. */
export interface CommandWords {
  /** Given where the command has one. */
  readonly operand?: string | undefined;
  readonly switches: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
}

/** @returns the exit code: the result of `run`, 1 failed, 2 invalid arguments. Never throws, never prints a secret. */
export async function runStoreCommand<Location extends StoreLocation>(
  command: StoreCommand<Location>,
  context: CommandContext,
  opener?: EmbeddedOpener,
): Promise<number> {
  const words = readWords(command, context);
  if (typeof words === 'number') return words;

  let redaction = new Redaction();
  try {
    const location = command.readLocation(context, words);
    redaction = new Redaction(location.databaseUrl && [location.databaseUrl]);
    await assertStoreExists(location);
    const database = await openStore(location, MIGRATIONS, opener);
    try {
      await assertSchema(database);
      return await command.run(database, words, location);
    } finally {
      await database.destroy();
    }
  } catch (error) {
    context.printError(`${command.name}: ${redaction.text(failureMessage(error))}\n`);
    return FAILED;
  }
}

/** Reads as the gateway does, but settings that do not locate the store may be missing. @throws InvalidEnvironment */
export function readStoreLocation({
  variables,
  workingDirectory,
}: Pick<CommandContext, 'variables' | 'workingDirectory'>): StoreLocation {
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

/** @returns the parsed arguments, or the exit code */
function readWords<Location extends StoreLocation>(
  { name, usage, operand, switches, values: rules = {} }: StoreCommand<Location>,
  { words, print, printError }: CommandContext,
): CommandWords | number {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const option of [...switches, 'help']) options[option] = { type: 'boolean' };
  for (const option of Object.keys(rules)) options[option] = { type: 'string' };
  try {
    const parsed = parseArgs({ args: [...words], options, allowPositionals: operand !== undefined });
    const entries = Object.entries(parsed.values);
    if (entries.some(([option]) => option === 'help')) {
      print(usage);
      return DONE;
    }
    const values = new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
    for (const [option, value] of values) {
      const { pattern, reason } = rules[option]!;
      if (!pattern.test(value)) throw new Error(`--${option} ${reason}`);
    }
    if (operand !== undefined && parsed.positionals.length !== 1) throw new Error(`give one ${operand}`);
    return {
      operand: parsed.positionals[0],
      switches: new Set(entries.map(([option]) => option).filter((option) => !values.has(option))),
      values,
    };
  } catch (error) {
    printError(`${name}: ${failureMessage(error)}\n\n${usage}`);
    return MISUSED;
  }
}

/** @throws StoreRefused when the schema is not the one of this release: the statements may not fit it */
async function assertSchema(database: DataSource): Promise<void> {
  const executed = await listExecuted(database);
  assertOfThisRelease(executed);
  if (MIGRATIONS.some(({ name }) => !executed.includes(name))) {
    throw new StoreRefused(
      'The database is of an older release: start the gateway of this one once, which migrates it.',
    );
  }
}
