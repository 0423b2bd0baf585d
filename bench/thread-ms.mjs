// CPU time of the thread that asks: unlike a clock it does not go on while other processes have the core.
import { openSync, readSync } from 'node:fs';

const NS_PER_MS = 1e6;
const figures = Buffer.alloc(64);
/** Of the main thread: its id is that of the process. Linux only. */
const file = openSync(`/proc/self/task/${process.pid}/schedstat`);

/** Milliseconds of CPU that the main thread has used. */
export function threadMs() {
  // Has the kernel add what the running thread used since its last tick.
  process.cpuUsage();
  const length = readSync(file, figures, 0, figures.length, 0);
  return Number(figures.toString('latin1', 0, length).split(' ')[0]) / NS_PER_MS;
}
