import { randomBytes } from 'node:crypto';
import { constants, copyFile, link, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '../shared/environment.js';
import { createDataDirectory } from '../shared/data-directory.js';
import { StoreRefused } from '../shared/database/store-refused.js';
import { systemCode } from '../shared/database/system-code.js';
import { encryptionKey, list } from '../shared/variables/grammars.js';
import { KEY_BYTES } from './sealed-box.js';

type LocalKeys = Environment['encryptionKeys'];

const FILE = 'encryption-keys';
const FILE_BYTES_MAX = 64 * 1024;
const readKeys = list(encryptionKey);

/**
 * The keys in `<dataDir>/encryption-keys`, which have the grammar of FAIRLEAD_ENCRYPTION_KEYS; none without a file.
 * @throws StoreRefused when the file cannot be read as that; the message contains nothing of it
 */
export async function findGeneratedKeys(dataDir: string): Promise<LocalKeys> {
  const path = join(dataDir, FILE);
  const text = await readText(path);
  if (text === undefined) return [];
  try {
    const keys = readKeys(text.trim());
    if (new Set(keys.map(({ id }) => id)).size === keys.length) return keys;
  } catch {
    // Reported below, for both.
  }
  throw new StoreRefused(
    `${path} does not contain encryption keys: restore it from a backup. Without it, the provider credentials stored here cannot be ` +
      'read; to give them up, move the file away.',
  );
}

/**
 * Like `findGeneratedKeys`, but makes one new key where there is no file. It is atomic: the file gets its name when it
 * is complete and on the disk, and of several processes one wins.
 * @throws StoreRefused as above
 * @throws InvalidEnvironment when the folder cannot be written to
 */
export async function generateKeys(dataDir: string): Promise<LocalKeys> {
  const found = await findGeneratedKeys(dataDir);
  if (found.length > 0) return found;
  await createDataDirectory(dataDir);
  const path = join(dataDir, FILE);
  const unfinished = `${path}.new-${randomBytes(6).toString('hex')}`;
  // The id is new as well: if the file is lost, what it sealed can be distinguished from what the next one seals.
  const line = `generated-${randomBytes(4).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}\n`;
  try {
    await writeDurably(unfinished, line);
    await appear(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
  return findGeneratedKeys(dataDir);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    return bytes.length > FILE_BYTES_MAX ? '' : bytes.toString();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return undefined;
    throw new StoreRefused(`${path} cannot be read (${code ?? 'unknown'}).`);
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives the complete file its name, unless another process was faster. */
async function appear(unfinished: string, path: string): Promise<void> {
  try {
    // Some file systems have no hard links.
    await link(unfinished, path).catch(() => copyFile(unfinished, path, constants.COPYFILE_EXCL));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  const folder = await open(dirname(path), 'r');
  try {
    // A new name is on the disk once its folder is synced; not every file system supports that.
    await folder.sync().catch(() => undefined);
  } finally {
    await folder.close();
  }
}
