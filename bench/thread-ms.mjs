// CPU time of the calling thread: unlike a clock it stops while other processes use the core.
import { openSync, readSync } from 'node:fs';

const NS_PER_MS = 1e6;
const figures = Buffer.alloc(64);
/** The main thread, whose id is that of the process. Linux only. */
const file = openSync(`/proc/self/task/${process.pid}/schedstat`);

/** CPU milliseconds of the main thread. */
export function threadMs() {
  // Makes the kernel add the time since the thread's last tick.
  process.cpuUsage();
  const length = readSync(file, figures, 0, figures.length, 0);
  return Number(figures.toString('latin1', 0, length).split(' ')[0]) / NS_PER_MS;
}
