// Repeatedly requests a path that needs only the event loop, in a separate thread, so that waits of the load
// generator are not counted as the gateway's. Each message is answered with the longest wait, in milliseconds, that
// ended since the previous one.
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

const { origin, path } = workerData;
const pool = new Pool(origin, { connections: 1 });
let longest = 0;
let requested = 0;

async function ask() {
  const began = performance.now();
  const { body } = await pool.request({ method: 'GET', path });
  await body.dump();
  longest = Math.max(longest, performance.now() - began);
  if (requested > 0) report();
}

/** Called after the current wait, which may be the longest. */
function report() {
  for (; requested > 0; requested--) parentPort.postMessage(longest);
  longest = 0;
}

parentPort.on('message', () => requested++);
for (;;) await ask();
