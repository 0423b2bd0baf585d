import { constants } from 'node:fs';
import { copyFile, mkdir, mkdtemp, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { DATABASE } from '../embedded.js';
import { FileRefused } from '../transfer/file-refused.js';
import { systemCode } from '../system-code.js';

/**
 * Files of a data directory that a start reads: the database, the generated key beside it, the amounts of open
 * generations, and waiting settlements.
 */
const PARTS = [DATABASE, 'encryption-keys', 'notes', 'spool'] as const;
/** Locks of processes that may write there; meaningless in a copy. */
const IS_LOCK = /\.lock(?:\.|$)/;

/** The result of a backup. */
export interface StoreCopy {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Copies the embedded store to a new data directory, readable only by its owner, completely or not at all.
 * @param whileStill runs the copying while nothing writes to the store; the other steps do not need that
 * @throws FileRefused where the folder exists already, is inside the database, or cannot be made; or the signal's
 * reason
 */
export async function copyStore(
  dataDir: string,
  out: string,
  whileStill: <T>(work: () => Promise<T>) => Promise<T>,
  signal?: AbortSignal,
): Promise<StoreCopy> {
  await refuseExisting(out);
  await refuseInside(dataDir, out);
  const unfinished = await mkdtemp(join(dirname(out), `.${basename(out)}-`)).catch((error: unknown) => {
    throw new FileRefused(`${out} cannot be made (${systemCode(error)}).`);
  });
  try {
    const copied = await whileStill(() => copyParts(dataDir, unfinished, signal));
    for (const { path } of copied) {
      signal?.throwIfAborted();
      await sync(path);
    }
    signal?.throwIfAborted();
    await rename(unfinished, out);
    return { files: copied.length, bytes: copied.reduce((sum, { bytes }) => sum + bytes, 0) };
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function refuseExisting(out: string): Promise<void> {
  const isThere = await stat(out).then(
    () => true,
    () => false,
  );
  if (isThere) throw new FileRefused(`${out} already exists: name a new folder.`);
}

/** A copy into the copied folder would never end. */
async function refuseInside(dataDir: string, out: string): Promise<void> {
  const real = (path: string): Promise<string> => realpath(path).catch(() => path);
  const folder = await real(dirname(out));
  const [first] = relative(await real(join(dataDir, DATABASE)), folder).split(sep);
  if (first !== '..') throw new FileRefused(`${out} is within the database itself: name a folder outside of it.`);
}

interface CopiedFile {
  readonly path: string;
  readonly bytes: number;
}

async function copyParts(from: string, to: string, signal?: AbortSignal): Promise<readonly CopiedFile[]> {
  const there = await readdir(from);
  const copied: CopiedFile[] = [];
  for (const part of PARTS) {
    if (there.includes(part)) await copy(join(from, part), join(to, part), copied, signal);
  }
  return copied;
}

async function copy(from: string, to: string, copied: CopiedFile[], signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const found = await stat(from);
  if (found.isDirectory()) {
    await mkdir(to, { mode: 0o700 });
    for (const name of await readdir(from)) {
      if (!IS_LOCK.test(name)) await copy(join(from, name), join(to, name), copied, signal);
    }
  } else if (found.isFile()) {
    // File systems that support it share blocks instead of copying them.
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    copied.push({ path: to, bytes: found.size });
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
