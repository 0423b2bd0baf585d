import { statfs } from 'node:fs/promises';

/** Kinds of file systems by their numbers in `statfs`, that end with the machine's memory or with the container. */
const PASSING_KINDS: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
  [0x794c7630, 'overlay'],
]);

/** The kind of the file system that a folder lies on; where the system tells none, nothing is known. */
export type ReadKind = (path: string) => Promise<number | undefined>;

const readKind: ReadKind = async (path) => (await statfs(path).catch(() => undefined))?.type;

/**
 * Looks where the spool lies.
 * @returns a warning for the log where what is on that disk is gone with the process or its container
 */
export async function warnOfPassingDisk(folder: string, read: ReadKind = readKind): Promise<string | undefined> {
  const kind = PASSING_KINDS.get((await read(folder)) ?? 0);
  if (kind === undefined) return undefined;
  return (
    `DATA_DIR lies on ${kind}: settlements that wait in its spool for the database are lost with the container. ` +
    'Give DATA_DIR a volume that outlives it.'
  );
}
