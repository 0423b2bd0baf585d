// A thread of its own, so that no wait of the load's own is taken for one of the gateway's: asks for what needs
// nothing but the event loop, again and again. At each message it reports the longest wait, in milliseconds, that
// ended since the one before.
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

const { origin, path } = workerData;
const pool = new Pool(origin, { connections: 1 });
let longest = 0;
let asked = 0;

async function ask() {
  const began = performance.now();
  const { body } = await pool.request({ method: 'GET', path });
  await body.dump();
  longest = Math.max(longest, performance.now() - began);
  if (asked > 0) report();
}

/** After the wait that is under way: it may be the longest. */
function report() {
  for (; asked > 0; asked--) parentPort.postMessage(longest);
  longest = 0;
}

parentPort.on('message', () => asked++);
for (;;) await ask();
