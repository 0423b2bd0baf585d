import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { systemCode } from './system-code.js';

/** Identifies a process, also among processes that reuse its number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start in clock ticks since boot; `null` where the system does not provide it. */
  readonly startedAt: string | null;
  /**
   * The scope in which `pid` is unique: one boot of one machine and one pid namespace. Every container has a process 1.
   */
  readonly place: string;
}

export async function identifySelf(): Promise<ProcessIdentity> {
  return { pid: process.pid, startedAt: await startOf(process.pid), place: await findPlace() };
}

/** Whether the process still runs; `undefined` when it is in a scope that this process cannot see. */
export async function isAlive(identity: ProcessIdentity, self: ProcessIdentity): Promise<boolean | undefined> {
  if (identity.place !== self.place) return undefined;
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // Any other refusal (EPERM) comes from a process that exists.
    if (systemCode(error) === 'ESRCH') return false;
  }
  // The number may have been reused since.
  return identity.startedAt === null || identity.startedAt === (await startOf(identity.pid));
}

async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may itself contain spaces and parentheses; the start is field
    // 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

async function findPlace(): Promise<string> {
  try {
    const [boot, namespace] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/pid'),
    ]);
    return `${boot.trim()} ${namespace}`;
  } catch {
    return hostname();
  }
}
