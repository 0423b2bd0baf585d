import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { identifySelf, isAlive, type ProcessIdentity } from './process-identity.js';
import { StoreRefused } from './store-refused.js';
import { systemCode } from './system-code.js';

const HEARTBEAT_MS = 1_000;
/**
 * Milliseconds without a heartbeat after which the lock of an invisible process is void. An owner's event loop may
 * stall for seconds.
 */
const SILENCE_MS_MAX = 10_000;
const LOOK_EVERY_MS = 250;

interface LockOwner extends ProcessIdentity {
  /** Identifies this one locking: a successor succeeds exactly this owner. */
  readonly nonce: string;
}

/** A lock of this process. Release it once. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Takes the lock at `path` for this process, also from a dead owner.
 *
 * The file is created exclusively, and only its owner deletes it. The lock of a dead owner is taken over in two steps:
 * a process creates the file `<path>.<nonce of the dead owner>` exclusively, so that only one of several succeeds, and
 * renames this file over the lock. If it dies in between, it is a dead owner itself, and its file is taken over in the
 * same way. The others find a living owner.
 * @param silenceMs how long an owner in another container or on another machine may be silent before it counts as dead
 * @throws StoreRefused while another living process has it
 */
export async function lockDirectory(path: string, silenceMs = SILENCE_MS_MAX): Promise<DirectoryLock> {
  const self: LockOwner = { ...(await identifySelf()), nonce: randomUUID() };
  while (!(await tryToAcquire(path, self, silenceMs)));

  const heartbeat = setInterval(() => {
    const now = new Date();
    // The next beat makes up for a missed one; a lock that was deleted by hand cannot be restored here.
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();

  return {
    release: async () => {
      clearInterval(heartbeat);
      if ((await readOwner(path)).nonce === self.nonce) await rm(path, { force: true });
    },
  };
}

/** @returns false when the locks changed meanwhile and must be read again */
async function tryToAcquire(path: string, self: LockOwner, silenceMs: number): Promise<boolean> {
  const dead: string[] = [];
  let link = path;
  while (!(await create(link, self))) {
    const owner = await judge(link, self, silenceMs);
    if (owner === undefined) return false;
    if (owner.alive) throw new StoreRefused(refusal(path, owner));
    dead.push(link);
    link = `${path}.${owner.nonce}`;
  }
  if (dead.length === 0) return true;

  // Between reading and creating, another successor may have finished: then the chain no longer ends here.
  if (!(await isLockedBy(path, self.nonce, dead.length))) {
    await rm(link, { force: true });
    return false;
  }
  await rename(link, path);
  await Promise.all(dead.slice(1).map((remains) => rm(remains, { force: true })));
  return true;
}

async function isLockedBy(path: string, nonce: string, steps: number): Promise<boolean> {
  let link = path;
  for (let step = 0; step < steps; step++) link = `${path}.${(await readOwner(link)).nonce}`;
  return (await readOwner(link)).nonce === nonce;
}

async function create(path: string, owner: LockOwner): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(owner)}\n`);
    } catch (error) {
      // Without its owner's name it would block all others.
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

interface LockState {
  readonly nonce: string;
  readonly pid: number | undefined;
  readonly alive: boolean;
}

/** Whether the owner of this link lives; `undefined` when the link is gone. */
async function judge(link: string, self: LockOwner, silenceMs: number): Promise<LockState | undefined> {
  const first = await readOwner(link);
  if (first.beatMs === undefined) return undefined;
  for (let silentMs = 0; ; silentMs += LOOK_EVERY_MS) {
    const now = await readOwner(link);
    if (now.beatMs === undefined || now.nonce !== first.nonce) return undefined;
    const alive = now.identity && (await isAlive(now.identity, self));
    const judged = { nonce: now.nonce, pid: now.identity?.pid };
    if (alive !== undefined) return { ...judged, alive };
    // Only a heartbeat shows the state of a process that is not visible, or has not yet written its name.
    if (now.beatMs !== first.beatMs) return { ...judged, alive: true };
    if (silentMs >= silenceMs) return { ...judged, alive: false };
    await pause(Math.min(LOOK_EVERY_MS, silenceMs));
  }
}

interface Read {
  /** The inode number for an unreadable lock, whose owner died before it wrote its name. */
  readonly nonce: string;
  readonly identity?: ProcessIdentity;
  /** When the file was last touched; absent when there is none. */
  readonly beatMs?: number;
}

async function readOwner(link: string): Promise<Read> {
  try {
    const [text, { ino, mtimeMs }] = await Promise.all([readFile(link, 'utf8'), stat(link)]);
    const owner = parseOwner(text);
    if (owner === undefined) return { nonce: `unreadable-${ino}`, beatMs: mtimeMs };
    return { nonce: owner.nonce, identity: owner, beatMs: mtimeMs };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { nonce: 'none' };
    throw error;
  }
}

function parseOwner(text: string): LockOwner | undefined {
  try {
    const { pid, startedAt, place, nonce } = JSON.parse(text) as Partial<LockOwner>;
    // The nonce becomes part of a file name.
    if (typeof pid !== 'number' || typeof place !== 'string' || !/^[\w-]{1,64}$/.test(nonce ?? '')) return undefined;
    return { pid, startedAt: startedAt ?? null, place, nonce: nonce! };
  } catch {
    return undefined;
  }
}

function refusal(path: string, owner: LockState): string {
  const user = owner.pid === undefined ? 'another process' : `another process (pid ${owner.pid})`;
  return (
    `${path}: the embedded database is in use by ${user}. It serves one process at a time: stop the other one, give this ` +
    `one a DATA_DIR of its own, or set DATABASE_URL to run several.`
  );
}
