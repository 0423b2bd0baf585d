import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Secret } from '../core/secret.js';
import type { Clock } from '../core/time.js';
import { pathOf, type CommandContext } from '../shared/command/command-context.js';
import { SHIPPED_CATALOG } from '../shared/variables/variables.js';
import { ImportRefused } from './import-refused.js';
import { importLitellm } from './litellm/import-litellm.js';
import { importOpenrouter } from './openrouter/import-openrouter.js';
import { ManagementClient } from './openrouter/management-client.js';
import { readExports } from './openrouter/read-exports.js';
import { printRemarks } from './print-remarks.js';
import type { Note, Remark } from './remark.js';

const DONE = 0;
const REFUSED = 1;

const NAME = 'fairlead import';
/** The largest size of a catalog. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const OUT = 'fairlead-catalog.yaml';
const KEY = 'FAIRLEAD_MANAGEMENT_KEY';
/** Options that only one source has. */
const OPTIONS_OF = { litellm: ['out', 'force'], openrouter: ['to', 'again'] } as const;

const USAGE = `npm run fairlead -- import litellm CONFIG.yaml [--out FILE] [--force] [--all]
npm run fairlead -- import openrouter EXPORT.json ... [--to ADDRESS] [--again] [--all]

litellm     writes a catalog of the configuration of a LiteLLM proxy, and prints what could not be carried over
  --out     the catalog that is written, by default ${OUT}
  --force   overwrites an existing file
openrouter  reads replies of GET /keys and GET /byok of that API, and prints the bodies that create the same here, one
            a line; remarks go to the error output
  --to      the running gateway to create the keys in, with the management key in ${KEY}; each new key is
            printed once
  --again   creates keys even where keys of their names exist
--all       prints all remarks, not only the first of each group

Exits with 0, or with 1 for what cannot be read, written or reached, and for wrong arguments. Prints no secret of a file.
`;

/** Inputs of the command besides its arguments. */
export interface ImportTools {
  /** Absolute path of the folder that contains `catalog/`. */
  readonly packageDirectory: string;
  readonly clock: Clock;
}

type Words = ReturnType<typeof parseWords>;

/** @returns the exit code, as in the usage. Never throws for invalid input, never prints a key of a file. */
export async function runImport(context: CommandContext, tools: ImportTools): Promise<number> {
  try {
    const words = parseWords(context.words);
    if (words.values.help) {
      context.print(USAGE);
      return DONE;
    }
    const [from, ...files] = words.positionals;
    if (from !== 'litellm' && from !== 'openrouter') throw misused('name the source: litellm or openrouter');
    const foreign = OPTIONS_OF[from === 'litellm' ? 'openrouter' : 'litellm'].find((name) => words.values[name]);
    if (foreign !== undefined) throw misused(`--${foreign} is not for ${from}`);
    return await (from === 'litellm' ? fromLitellm : fromOpenrouter)(files, words, context, tools);
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
      `\nNow: npm run fairlead -- check ${out}\n`,
  );
  return DONE;
}

async function fromOpenrouter(
  names: readonly string[],
  { values }: Words,
  context: CommandContext,
  { clock }: ImportTools,
): Promise<number> {
  if (names.length === 0) throw misused('give at least one export');
  const remarks: Remark[] = [];
  const note: Note = (group, location, message) => void remarks.push({ group, location, message });
  const files = await Promise.all(names.map(async (name) => ({ name, text: await readText(name, context) })));
  const exports = readExports(files, note);
  try {
    await importOpenrouter(exports, {
      client: values.to === undefined ? undefined : clientOf(values.to, context),
      again: values.again === true,
      now: clock.now(),
      print: (line) => context.print(`${JSON.stringify(line)}\n`),
      note,
    });
  } finally {
    context.printError(printRemarks(remarks, values.all === true));
  }
  return DONE;
}

function clientOf(address: string, { variables, signal }: CommandContext): ManagementClient {
  const key = variables[KEY]?.trim() ?? '';
  if (key === '') throw new ImportRefused(`--to wants a management key in ${KEY}`);
  return new ManagementClient(address, new Secret(key), signal);
}

async function readText(file: string, context: CommandContext): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Counted while reading: a device or pipe has no size and may not end.
    for await (const chunk of createReadStream(pathOf(file, context), { signal: context.signal })) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > FILE_BYTES_MAX) throw new ImportRefused(`${file} is larger than ${FILE_BYTES_MAX} bytes`);
    }
    return Buffer.concat(chunks).toString();
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
      code === 'EEXIST'
        ? 'exists already: name another file with --out, or add --force'
        : `cannot be written (${code})`;
    throw new ImportRefused(`${file} ${why}`, { cause: error });
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'for an unknown reason';

/** Prefixes a refusal with the file it concerns. */
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
    to: { type: 'string' },
    again: { type: 'boolean' },
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
