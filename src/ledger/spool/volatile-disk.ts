import { statfs } from 'node:fs/promises';

/** File systems that end with the machine's memory or with the container, by their numbers in `statfs`. */
const VOLATILE_KINDS: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
  [0x794c7630, 'overlay'],
]);

/** The kind of the file system of a folder; undefined where the system reports none. */
export type ReadKind = (path: string) => Promise<number | undefined>;

const readKind: ReadKind = async (path) => (await statfs(path).catch(() => undefined))?.type;

/**
 * Checks the disk of the spool.
 * @returns a warning for the log where that disk is lost with the process or its container
 */
export async function warnOfVolatileDisk(folder: string, read: ReadKind = readKind): Promise<string | undefined> {
  const kind = VOLATILE_KINDS.get((await read(folder)) ?? 0);
  if (kind === undefined) return undefined;
  return (
    `DATA_DIR lies on ${kind}: settlements that wait in its spool for the database are lost with the container. ` +
    'Give DATA_DIR a volume that outlives it.'
  );
}
