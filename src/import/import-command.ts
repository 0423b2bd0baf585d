import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { CommandContext } from '../shared/database/transfer/transfer-command.js';
import { SHIPPED_CATALOG } from '../shared/variables/variables.js';
import { ImportRefused } from './import-refused.js';
import { importLitellm } from './litellm/import-litellm.js';
import { printRemarks } from './print-remarks.js';

const DONE = 0;
const REFUSED = 1;

const NAME = 'import';
/** As large as a catalog may be. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const OUT = 'fairlead-catalog.yaml';

const USAGE = `npm run import -- litellm CONFIG.yaml [--out FILE] [--force] [--all]

litellm     writes a catalog of the configuration of a LiteLLM proxy, and prints what could not be carried over
--out       the catalog that is written: ${OUT} unless said
--force     writes over it where it is there
--all       prints all that is to be told, not only the beginnings

Ends with 0, or with 1 for what cannot be read or written, and wrong words. No key is read from a file or printed.
`;

/** What the command needs beside its words. */
export interface ImportTools {
  /** Absolute path of the folder that has `catalog/`. */
  readonly packageDirectory: string;
}

type Words = ReturnType<typeof parseWords>;

/** @returns the exit code, as the usage has it. Never throws for what it is given, never prints a key of a file. */
export async function runImport(context: CommandContext, tools: ImportTools): Promise<number> {
  try {
    const words = parseWords(context.words);
    if (words.values.help) {
      context.print(USAGE);
      return DONE;
    }
    const [from, ...files] = words.positionals;
    if (from === 'litellm') return await fromLitellm(files, words, context, tools);
    throw misused('say where from: litellm');
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    context.printError(`${NAME}: ${error.message}\n`);
    return REFUSED;
  }
}

async function fromLitellm(
  files: readonly string[],
  { values }: Words,
  context: CommandContext,
  { packageDirectory }: ImportTools,
): Promise<number> {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) throw misused('give one configuration of LiteLLM');
  const text = await readText(file, context);
  const shipped = await readText(join(packageDirectory, SHIPPED_CATALOG), context);
  const { models, providers, remarks, ...written } = naming(file, () =>
    importLitellm(text, {
      shipped: { name: SHIPPED_CATALOG, text: shipped },
      variables: context.variables,
    }),
  );
  const out = values.out ?? OUT;
  await write(out, written.text, values.force === true, context);
  context.print(
    `${out}: ${models} models, ${providers} providers beside the shipped ones.\n` +
      printRemarks(remarks, values.all === true) +
      `\nNow: npm run catalog:check -- ${out}\n`,
  );
  return DONE;
}

/** npm starts its scripts in the package's folder; a file is named from where the operator stands. */
const pathOf = (file: string, { variables, workingDirectory }: CommandContext): string =>
  resolve(variables['INIT_CWD'] ?? workingDirectory, file);

async function readText(file: string, context: CommandContext): Promise<string> {
  const path = pathOf(file, context);
  try {
    if ((await stat(path)).size > FILE_BYTES_MAX)
      throw new ImportRefused(`${file} is larger than ${FILE_BYTES_MAX} bytes`);
    return await readFile(path, 'utf8');
  } catch (error) {
    throw error instanceof ImportRefused
      ? error
      : new ImportRefused(`${file} cannot be read (${codeOf(error)})`, { cause: error });
  }
}

async function write(file: string, text: string, isForced: boolean, context: CommandContext): Promise<void> {
  try {
    await writeFile(pathOf(file, context), text, { flag: isForced ? 'w' : 'wx' });
  } catch (error) {
    const code = codeOf(error);
    const why =
      code === 'EEXIST' ? 'is there already: name another with --out, or say --force' : `cannot be written (${code})`;
    throw new ImportRefused(`${file} ${why}`, { cause: error });
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'for an unknown reason';

/** Puts the file in front of what was refused of it. */
function naming<Result>(file: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof ImportRefused ? new ImportRefused(`${file} ${error.message}`, { cause: error }) : error;
  }
}

function parseWords(words: readonly string[]) {
  const options = {
    out: { type: 'string' },
    force: { type: 'boolean' },
    all: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true });
  } catch (error) {
    throw misused(error instanceof Error ? error.message : String(error));
  }
}

const misused = (message: string): ImportRefused => new ImportRefused(`${message}\n\n${USAGE}`);
