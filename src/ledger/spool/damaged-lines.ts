import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './spool-segment.js';

/**
 * Keeps lines that cannot be used here, for inspection, in a separate file, which is on the disk when this
 * resolves.
 * @param id names the file: one of that name is overwritten
 * @returns its name in the folder
 */
export async function storeDamagedLines(folder: string, id: string, lines: readonly Buffer[]): Promise<string> {
  const name = `${id}.damaged`;
  const file = await open(join(folder, name), 'w', 0o600);
  try {
    await file.writeFile(Buffer.concat(lines));
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(folder);
  return name;
}
