import { spawn } from 'node:child_process';

/** Whether a child can have a process group of its own. */
const HAS_GROUPS = process.platform !== 'win32';

/** Starts a Node program as a child with a process group of its own, so that `endGroup` ends its children too. */
export const startGroup = (parts, cwd) =>
  spawn(process.execPath, parts, { cwd, stdio: 'inherit', detached: HAS_GROUPS });

/**
 * The program in `bin` runs the compiler as a child, which survives SIGTERM. Both are in one group. The next
 * build rewrites files that are half written, because their record is written last.
 */
export function endGroup(child) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (HAS_GROUPS) process.kill(-child.pid, 'SIGKILL');
  else child.kill();
}
