import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidEnvironment } from './environment.js';

/**
 * Creates the folder of `DATA_DIR` if it is missing, readable only by its owner, and proves that files can be written
 * to it.
 * @throws InvalidEnvironment
 */
export async function createDataDirectory(path: string): Promise<void> {
  const probe = join(path, `.writable-${process.pid}`);
  try {
    await makeFolder(path);
    await writeFile(probe, '');
    await rm(probe, { force: true });
  } catch (error) {
    const code = codeOf(error) === undefined ? '' : ` (${String(codeOf(error))})`;
    throw new InvalidEnvironment([
      { variable: 'DATA_DIR', reason: `must be a folder this process can write to: ${JSON.stringify(path)}${code}` },
    ]);
  }
}

/**
 * Creates the folder and its parents one by one: Node's recursive option never ends where the system reports "no such
 * folder" for a new folder in an existing one, as `/proc` does.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    // Whether it is a folder shows when the file is written to it.
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 }).catch((again: unknown) => {
      // Another starting process may have created it first.
      if (codeOf(again) !== 'EEXIST') throw again;
    });
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
