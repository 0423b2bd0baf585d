import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Environment } from '../../environment.js';
import { readEnvironment } from '../../read-environment.js';
import { lockDirectory } from '../directory-lock.js';
import { StoreRefused } from '../store-refused.js';
import { failureMessage } from '../../command/command-failure.js';
import { assertStoreExists } from '../transfer/open-store.js';
import { pathOf, type CommandContext } from '../../command/command-context.js';
import { requestCopy } from './request-copy.js';
import { copyStore, type StoreCopy } from './store-copy.js';

const DONE = 0;
const FAILED = 1;
const MISUSED = 2;

const USAGE = `npm run data:backup -- --out FOLDER

Copies the embedded store in DATA_DIR to a new folder, whether a gateway runs on it or not. The folder is a data
directory: a gateway that is started with DATA_DIR set to it goes on from there. It contains the generated encryption
key: keep it as safe as DATA_DIR itself. PostgreSQL has tools of its own, such as pg_dump.
`;

/** @returns the exit code: 0 done, 1 refused or failed, 2 invalid arguments. Never throws. */
export async function runBackup(context: CommandContext): Promise<number> {
  const { words, variables, workingDirectory, print, printError, signal } = context;
  let out: string | undefined;
  try {
    const { values } = parseArgs({ args: [...words], options: { out: { type: 'string' }, help: { type: 'boolean' } } });
    if (values.help) {
      print(USAGE);
      return DONE;
    }
    out = values.out;
  } catch (error) {
    printError(`data:backup: ${failureMessage(error)}\n\n${USAGE}`);
    return MISUSED;
  }
  if (out === undefined || out === '') {
    printError(`data:backup: --out FOLDER is missing.\n\n${USAGE}`);
    return MISUSED;
  }
  try {
    const path = pathOf(out, context);
    const { files, bytes } = await backUp(readEnvironment(variables, workingDirectory).environment, path, signal);
    print(`Copied ${files} files, ${bytes} bytes, to ${path}.\n`);
    return DONE;
  } catch (error) {
    printError(`data:backup: ${failureMessage(error)}\n`);
    return FAILED;
  }
}

async function backUp(environment: Environment, out: string, signal?: AbortSignal): Promise<StoreCopy> {
  const { databaseUrl, dataDir } = environment;
  if (databaseUrl !== undefined) {
    throw new StoreRefused('DATABASE_URL is set: PostgreSQL is backed up by its own tools, such as pg_dump.');
  }
  await assertStoreExists(environment);
  const reply = await requestCopy(dataDir, { out }, signal);
  if (reply && 'failure' in reply) throw new StoreRefused(reply.failure);
  if (reply) return reply.copied;
  const lock = await lockDirectory(join(dataDir, 'lock'));
  try {
    return await copyStore(dataDir, out, (work) => work(), signal);
  } finally {
    await lock.release();
  }
}
