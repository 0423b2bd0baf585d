import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidEnvironment } from './environment.js';

/**
 * Makes the folder of `DATA_DIR` if it is missing, for its owner only, and proves that files can be written to it.
 * @throws InvalidEnvironment
 */
export async function createDataDirectory(path: string): Promise<void> {
  const probe = join(path, `.writable-${process.pid}`);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await writeFile(probe, '');
    await rm(probe, { force: true });
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? ` (${String(error.code)})` : '';
    throw new InvalidEnvironment([
      { variable: 'DATA_DIR', reason: `must be a folder this process can write to: ${JSON.stringify(path)}${code}` },
    ]);
  }
}
